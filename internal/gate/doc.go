// Package gate is one run of the gate over one tree: it picks the source (working tree, commit, index), reads the
// configuration that belongs to it, runs the source check, marks what was known before and decides the verdict. The
// commands, the hook, the fix log and the runner's child all go through it, so that they cannot disagree.
package gate
