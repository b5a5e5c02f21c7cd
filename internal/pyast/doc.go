// Package pyast turns Python source into plain Go data. It is the only importer of tree-sitter: a file is parsed,
// lowered to the types in ast.go and the tree is closed before Parse returns, so that no C memory outlives the call
// (a node used after its tree is a crash that Go cannot recover from).
//
// # Use
//
// Parse reads one file, Walk and Children go through what it returns, Tokens gives an expression in a form that survives
// reformatting. A file that is not Python is no error: what could be read is there, the rest is Bad or BadStmt, and
// Module.Errors says where. Limits keep hostile text from taking time, memory or stack.
//
// # How it works
//
// One C call parses a file and writes its tree as a flat array in preorder (tree.c); lowering reads that array and makes
// no C calls. It goes by kinds (kinds.go), since the numbers of the grammar change with its versions.
//
// # How far it can be trusted
//
// TestAgainstCPython compares every node, with its place, with the parser of the python3 on the machine; the whole
// standard libraries of 3.11 and 3.12 agree but for the files named there. Where the grammar reads something other than
// Python does, it is put right (rotate.go, and amend in parse.go, which also reads the template strings of 3.14 as
// f-strings). Not read, and reported in Module.Errors: defaults of type parameters (3.13).
package pyast
