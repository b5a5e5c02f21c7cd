// Package corpustest scans testdata/corpus, the hazards distilled from public bug reports that were written for this
// project, and holds the source scan to what the corpus says: each hazard at its line, nothing on fixed and clean twins.
package corpustest
