// Package treesitter is the only importer of tree-sitter: one runtime, one allocator and one way out for all grammars.
//
// A Parser reads a buffer and gives its tree as a flat array in preorder, made by one C call (tree.c); nothing of
// tree-sitter is visible outside. A walk through the Go binding costs several C calls a node, and a node that is used
// after its tree is a crash that Go cannot recover from. The packages that know a language (internal/pyast,
// internal/cppast) lower the array to their own types.
//
// # Limits
//
// Every parse has a deadline, a bound on the memory that C may take, and ends with its context: garbage parses about
// thirty times slower than code does, so the size of a file bounds nothing.
package treesitter
