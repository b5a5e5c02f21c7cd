package cppast

import (
	"slices"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"int n = x.sum().item<int>(), *q, m{3};",
			"[(Decl int n (Call (Member (Call (Member x sum)) item targs [int]))) (Decl int* q) (Decl int m (Init elts [3]))]"},
		{"dim3 grid(n, 2);", "[(Decl dim3 grid args [n 2])]"},
		{"const c10::cuda::OptionalCUDAGuard guard(device_of(x));", "[(Decl c10::cuda::OptionalCUDAGuard guard args [device_of(x)])]"},
		{"std::vector<int> h = {1, 2};", "[(Decl std::vector<int> h (Init elts [1 2]))]"},
		{"float a[2];", "[(Decl float[] a)]"},
		{"static auto ws = make();", "[(Decl auto ws static (Call make))]"},
		{"const auto [a, b] = f();", "[(Decl auto names [a b] (Call f))]"},
		{"ns::k<float, 2><<<g, b>>>(x, 1);", "[(ExprStmt (Call ns::k<float,2> args [x 1] config [g b]))]"},
		{"(*k)<<<1, 2, 3, s>>>(x);", "[(ExprStmt (Call (Unary * k) args [x] config [1 2 3 s]))]"},
		{"CHECK(cudaFree(p));", "[(ExprStmt (Call CHECK args [(Call cudaFree args [p])]))]"},
		{"thrust::cuda::par.on(s);", "[(ExprStmt (Call (Member thrust::cuda::par on) args [s]))]"},
		{"if (auto y = f(); y > 0) throw E(1); else return;",
			"[(If init [(Decl auto y (Call f))] (Binary > y 0) then [(Throw (Call E args [1]))] else [(Return)])]"},
		{"if (!p) { f(); }", "[(If (Unary ! p) then [(ExprStmt (Call f))])]"},
		{"for (int i = 0; i < n; ++i) g(i);",
			"[(Loop init [(Decl int i 0)] (Binary < i n) (Unary ++ i) body [(ExprStmt (Call g args [i]))])]"},
		{"for (auto& e : v) e += 1;", "[(Loop init [(Decl auto& e)] v body [(ExprStmt (Assign += e 1))])]"},
		{"while (p) break;", "[(Loop p body [(Jump break)])]"},
		{"switch (n) { case 1: f(); break; default: g(); }", "[(Switch n body [(ExprStmt (Call f)) (Jump break) (ExprStmt (Call g))])]"},
		{"try { f(); } catch (const E& e) { g(); }", "[(Try body [(ExprStmt (Call f))] handlers [[(ExprStmt (Call g))]])]"},
		{"D(x, ([&] { k<<<1, 2, 0, s>>>(); }));",
			"[(ExprStmt (Call D args [x (Lambda body [(ExprStmt (Call k config [1 2 0 s]))])]))]"},
		{"auto g = [=] __device__ (int i) { return i; };", "[(Decl auto g (Lambda device params [(Param i int)] body [(Return i)]))]"},
		{"auto p = (float*)x;", "[(Decl auto p (Cast float* x))]"},
		{"auto t = new float[n];", "[(Decl auto t (New float))]"},
		{"f(Params{1, 2});", "[(ExprStmt (Call f args [(Init Params elts [1 2])]))]"},
		{"x = a ? b : c[1];", "[(ExprStmt (Assign = x (Cond a b (Index c args [1]))))]"},
		{"\n#ifdef DEBUG\nf();\n#else\ng();\n#endif\n", "[(Preproc defined(DEBUG) then [(ExprStmt (Call f))] else [(ExprStmt (Call g))])]"},
		{"\n#ifndef NDEBUG\nf();\n#endif\n", "[(Preproc !defined(NDEBUG) then [(ExprStmt (Call f))])]"},
		{"\n#if A && \\\n B\nf();\n#elif C\ng();\n#endif\n",
			"[(Preproc A && B then [(ExprStmt (Call f))] else [(Preproc C then [(ExprStmt (Call g))])])]"},
	} {
		f := parse(t, "a.cu", "void f() {"+tt.src+"}")
		if len(f.Funcs) != 1 {
			t.Errorf("%s: %d functions", tt.src, len(f.Funcs))
			continue
		}
		if got := dump(f.Funcs[0].Body); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	f := parse(t, "a.cu", `
#include <ATen/ATen.h>
#include "own.h"
#define LAUNCH(k, s) k<<<1, 2, 0, s>>>() /* with
   a comment */
#define PI 3
namespace vllm { namespace {
template <typename T> __global__ void __launch_bounds__(128) kernel(T* x) { x[0] = 1; }
static __device__ __forceinline__ float dev(float x) { return x; }
__host__ __device__ int both(int x) { return x; }
}
class Cache : public Base {
 public:
  Cache(int n) : p_(make(n)), q_{n} {}
  ~Cache() { cudaFree(p_); }
  void run(at::Tensor& t) const { t.cpu(); }
  struct Inner { void go() {} };
};
}  // namespace vllm
#ifdef DEBUG
void vllm::Cache::flush(const at::Tensor& x, std::vector<int> v, cudaStream_t s = 0) {}
#else
void other() {}
#endif
extern "C" { void plain_c(int) {} }
template <> void A<int>::g() {}
auto trailing() -> int { return 1; }
bool Op::operator()(int x) { return x; }
float* pointer(float* x) { return x; }
TORCH_LIBRARY(ext, m) { m.def("op(Tensor x) -> ()", &vllm::op); }
`)
	if len(f.Errors) != 0 {
		t.Errorf("errors: %v", f.Errors)
	}
	if got := strings.Join(f.Includes, " "); got != "ATen/ATen.h own.h" {
		t.Errorf("includes %q", got)
	}
	want := []struct {
		name   string
		kind   FuncKind
		class  string
		host   bool
		params string
		guards string
	}{
		{"LAUNCH", FuncMacro, "", true, "k: s:", ""},
		{"vllm::kernel", FuncPlain, "", false, "x:T*", ""},
		{"vllm::dev", FuncPlain, "", false, "x:float", ""},
		{"vllm::both", FuncPlain, "", true, "x:int", ""},
		{"vllm::Cache::Cache", FuncConstructor, "vllm::Cache", true, "n:int", ""},
		{"vllm::Cache::~Cache", FuncDestructor, "vllm::Cache", true, "", ""},
		{"vllm::Cache::run", FuncPlain, "vllm::Cache", true, "t:at::Tensor&", ""},
		{"vllm::Cache::Inner::go", FuncPlain, "vllm::Cache::Inner", true, "", ""},
		{"vllm::Cache::flush", FuncPlain, "vllm::Cache", true, "x:at::Tensor& v:std::vector<int> s:cudaStream_t", "defined(DEBUG)"},
		{"other", FuncPlain, "", true, "", "!(defined(DEBUG))"},
		{"plain_c", FuncPlain, "", true, ":int", ""},
		{"A::g", FuncPlain, "A", true, "", ""},
		{"trailing", FuncPlain, "", true, "", ""},
		{"Op::operator()", FuncPlain, "Op", true, "x:int", ""},
		{"pointer", FuncPlain, "", true, "x:float*", ""},
		{"TORCH_LIBRARY", FuncPlain, "", true, ":ext :m", ""},
	}
	if len(f.Funcs) != len(want) {
		t.Fatalf("%d functions, want %d", len(f.Funcs), len(want))
	}
	for i, w := range want {
		fn := f.Funcs[i]
		var params []string
		for _, p := range fn.Params {
			params = append(params, p.Name+":"+p.Type)
		}
		if fn.Name != w.name || fn.Kind != w.kind || fn.Class != w.class || fn.OnHost() != w.host ||
			strings.Join(params, " ") != w.params || strings.Join(fn.Guards, " ") != w.guards {
			t.Errorf("%d: %s kind %d class %q host %v params %v guards %v, want %+v", i, fn.Name, fn.Kind, fn.Class, fn.OnHost(), params,
				fn.Guards, w)
		}
	}
	if got := dump(f.Funcs[0].Body); got != "[(ExprStmt (Call k config [1 2 0 s]))]" {
		t.Errorf("the macro is %s", got)
	}
	if got := f.Text(f.Funcs[0].Body[0]); got != "k<<<1, 2, 0, s>>>()" && !strings.HasPrefix(got, "k<<<1, 2, 0, s>>>()") {
		t.Errorf("the macro's text is %q", got)
	}
	if got := dump(f.Funcs[4].Inits); got != "[(Call make args [n]) n]" {
		t.Errorf("the initializers are %s", got)
	}
}

func TestCommentsAndErrors(t *testing.T) {
	f := parse(t, "a.cpp", "\xef\xbb\xbf// first\nint f() { return 1; } /* second */\n  /// third\n")
	var got []string
	for _, c := range f.Comments {
		got = append(got, c.Text)
		if c.Own != (c.Text != "second") {
			t.Errorf("%s: alone on its line: %v", c.Text, c.Own)
		}
	}
	if !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("comments %q", got)
	}
	f = parse(t, "a.cpp", "int f() { return ( ; }\nint g() { return 2; }\n")
	if len(f.Errors) == 0 || f.Errors[0].Start.Line != 1 || f.Funcs[len(f.Funcs)-1].Name != "g" {
		t.Errorf("errors %v, %d functions", f.Errors, len(f.Funcs))
	}
	for _, odd := range []string{"", "\n", "\x00", "\xff\xfe", "int f() {", "}", "#define", "#define A(", "#define X(a) cuda##a /* \\\n"} {
		parse(t, "a.cu", odd)
	}
}

func TestTokens(t *testing.T) {
	a := Tokens([]byte("k<<<g,  b>>>(x->y, \"a b\", 1.5f) /* c */ // d"))
	b := Tokens([]byte("k <<<g, b>>>(\n  x->y, \\\n \"a b\", 1.5f)"))
	want := []string{"k", "<<<", "g", ",", "b", ">>>", "(", "x", "->", "y", ",", `"a b"`, ",", "1.5f", ")"}
	if !slices.Equal(a, want) || !slices.Equal(b, want) {
		t.Errorf("tokens %q and %q, want %q", a, b, want)
	}
}
