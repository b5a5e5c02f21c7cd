// Package registry is the list of all rules and the catalogue of all hazards. The list (rules.go) is generated from
// the folders checks/gbNNN, so that nobody edits a central list and two new rules never conflict; the catalogue
// (catalogue.tsv) also names the hazards that only the GPU checks can find, because an id is a contract before there
// is code for it.
package registry
