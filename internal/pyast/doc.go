// Package pyast turns Python source into plain Go data. It is the only importer of tree-sitter: a file is parsed,
// lowered to the types in ast.go and the tree is closed before Parse returns, so that no C memory outlives the call
// (a node used after its tree is a crash that Go cannot recover from).
package pyast
