// Package pyast turns Python source into plain Go data. A file is parsed by internal/treesitter and lowered to the types
// in ast.go before Parse returns, so that no C memory outlives the call.
//
// # Use
//
// Parse reads one file, Walk and Children go through what it returns, Tokens gives an expression in a form that survives
// reformatting. A file that is not Python is no error: what could be read is there, the rest is Bad or BadStmt, and
// Module.Errors says where. Limits keep hostile text from taking time, memory or stack.
//
// # How it works
//
// internal/treesitter parses a file and gives its tree as a flat array in preorder; lowering reads that array and makes
// no C calls. It goes by kinds (kinds.go), since the numbers of the grammar change with its versions.
//
// # How far it can be trusted
//
// TestAgainstCPython compares every node, with its place, with the parser of the python3 on the machine; the whole
// standard libraries of 3.11 and 3.12 agree but for the files named there. Where the grammar reads something other than
// Python does, it is put right (rotate.go, and amend in parse.go, which also reads the template strings of 3.14 as
// f-strings). Not read, and reported in Module.Errors: defaults of type parameters (3.13).
package pyast
