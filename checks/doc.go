// Package checks is the source half of the gate: the vocabulary that static rules are written in, the loading of a
// Python project, the hot path (what runs in every decode step), and an abstract interpreter that says for every
// expression on the hot path whether it lives on the device or on the host.
//
// A rule is a value of type Rule: its documentation as data and one hook per kind of Event it looks at. The
// interpreter walks hot functions and raises events; a hook looks at the Values in the event and calls Pass.Report.
// Rules live in packages of their own (checks/gb101, …); this package imports none of them, they come in through
// Options.Rules, normally from checks/registry.
//
// The package knows no git, no GitHub and no GPU. Files come from a Source, findings go into a Report.
package checks
