package checks

import (
	"bytes"

	"github.com/gatebot/gatebot/internal/cppast"
	"github.com/gatebot/gatebot/internal/finding"
)

// Native is how a rule sees C++ and CUDA host code. Its hooks run once for each place in a function that can run on the
// host; what they report counts when the function is hot. A hook that is nil costs nothing.
type Native struct {
	// Words are substrings; a file that has none of those of any rule is not parsed. The names in Calls are among
	// them without being listed.
	Words []string

	// Calls restricts Call to these names when it is not nil: `cudaMalloc` for a function with any qualification,
	// `at::equal` for one with that, `.item` for a method. Names of HIP are those of CUDA here (hipMalloc is
	// cudaMalloc).
	Calls  []string
	Call   func(*NativePass, *NativeCall)
	Launch func(*NativePass, *NativeLaunch)
	Decl   func(*NativePass, *NativeDecl)
	Deref  func(*NativePass, *NativeDeref)
}

// NativeAlways is a Call hook that reports every call it sees with the same message.
func NativeAlways(message string) func(*NativePass, *NativeCall) {
	return func(p *NativePass, c *NativeCall) { p.Report(c.Node, message) }
}

// NativeCall is one call on the host.
type NativeCall struct {
	Node  *cppast.Call
	Name  string // as Native.Calls has it, with the qualification that is written: at::equal, .item
	Short string // the last part: equal, item
	Recv  cppast.Expr
	RecvV *NativeValue // of Recv; nil for a function
	Args  []cppast.Expr
	Vals  []*NativeValue // of Args
	Targs []string
}

// Arg is the value of argument i, or nil.
func (c *NativeCall) Arg(i int) *NativeValue {
	if i < len(c.Vals) {
		return c.Vals[i]
	}
	return nil
}

// NativeLaunch is one kernel launch, kernel<<<grid, block, shared, stream>>>(…).
type NativeLaunch struct {
	Node   *cppast.Call
	Config []cppast.Expr
	ConfV  []*NativeValue
	Args   []cppast.Expr
	Vals   []*NativeValue
}

// NativeDecl is the declaration of a local variable.
type NativeDecl struct {
	Node  *cppast.Decl
	Value *NativeValue
	Args  []*NativeValue
}

// NativeDeref is `*X` or `X[…]` on the host.
type NativeDeref struct {
	Node  cppast.Expr
	Value *NativeValue // of X
}

// NativePass is what a hook sees of the place it looks at, and where it reports.
type NativePass struct {
	w    *nativeWalk
	rule *Rule
}

// Report says that n is a hazard. In the message {expr} stands for the source of n in backquotes.
func (p *NativePass) Report(n cppast.Node, message string, opts ...ReportOption) {
	r := report{message: message, confidence: finding.Likely, severity: p.rule.Severity, fix: p.rule.Fix}
	for _, o := range opts {
		o(&r)
	}
	p.w.report(p.rule, n, r)
}

// Text is the source of n.
func (p *NativePass) Text(n cppast.Node) string { return p.w.file.Text(n) }

// Path is the file that is looked at.
func (p *NativePass) Path() string { return p.w.file.Path }

// Body is the source of the function that is looked at.
func (p *NativePass) Body() string { return p.w.file.Text(p.w.fn) }

// FileHas reports whether the file contains the word.
func (p *NativePass) FileHas(word string) bool {
	return bytes.Contains(p.w.file.Source, []byte(word))
}

// FirstUse reports whether the place runs once: in the initializer of a static, in std::call_once, under a test for
// something that is not there yet.
func (p *NativePass) FirstUse() bool { return p.w.once > 0 }

// Value is what an expression was taken for, or nil when it has not been evaluated.
func (p *NativePass) Value(e cppast.Expr) *NativeValue { return p.w.values[e] }

// Var is what is known of a variable by now, or nil.
func (p *NativePass) Var(name string) *NativeValue { return p.w.env[name] }
