package pyast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// patient are limits that a machine which stands still for a while does not reach.
var patient = func() Limits {
	l := DefaultLimits
	l.Timeout = 5 * time.Minute
	return l
}()

func parse(t testing.TB, src string) *Module {
	t.Helper()
	m, err := Parse(context.Background(), "test.py", []byte(src), patient)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestErrorsAreTypedAndNameTheFile(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	garbage := garbage(200 << 10)
	for name, tt := range map[string]struct {
		ctx  context.Context
		src  []byte
		lim  Limits
		want error
	}{
		"too large":       {context.Background(), make([]byte, 101), Limits{100, time.Minute, 1 << 30, 10}, ErrTooLarge},
		"too long":        {context.Background(), garbage, Limits{1 << 20, time.Millisecond, 1 << 30, 10}, ErrDeadline},
		"too much memory": {context.Background(), bytes.Repeat([]byte("("), 1<<20), Limits{1 << 20, time.Minute, 32 << 20, 10}, ErrTooLarge},
		"canceled":        {gone, garbage, DefaultLimits, context.Canceled},
		"late":            {late, garbage, DefaultLimits, context.DeadlineExceeded},
	} {
		m, err := Parse(tt.ctx, "dir/file.py", tt.src, tt.lim)
		if m != nil || !errors.Is(err, tt.want) || !strings.HasPrefix(fmt.Sprint(err), "dir/file.py: ") {
			t.Errorf("%s: module %v, error %v, want %v", name, m != nil, err, tt.want)
		}
	}
}

// A context that ends while the C code runs stops it, and the next file is parsed as if nothing had been.
func TestCancelWhileParsing(t *testing.T) {
	src := garbage(2 << 20) // what ends it is the context, however late its word comes
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := Parse(ctx, "x.py", src, patient); !errors.Is(err, context.Canceled) {
			t.Errorf("parse of %d bytes of garbage: %v, want it canceled", len(src), err)
		}
		if m := parse(t, "x = 1\n"); len(m.Body) != 1 || len(m.Errors) != 0 {
			t.Errorf("after the canceled one: %v", m.Errors)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Parse(ctx, "x.py", src, patient); !errors.Is(err, ErrDeadline) {
		t.Errorf("deadline of the context: %v, want ErrDeadline", err)
	}
}

func garbage(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	const letters = "([{}]):,.'\"\n\t abcdef=+*@#\\\x00\xff"
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return b
}

func TestDeepNesting(t *testing.T) {
	const n = 200_000
	lim := DefaultLimits
	for name, src := range map[string]string{
		"parentheses":  strings.Repeat("(", n) + "x" + strings.Repeat(")", n),
		"open":         strings.Repeat("(", n),
		"lists":        strings.Repeat("[", n) + strings.Repeat("]", n),
		"subscripts":   strings.Repeat("a[", n) + "0" + strings.Repeat("]", n),
		"sum":          "x" + strings.Repeat("+x", n),
		"attributes":   "x" + strings.Repeat(".x", n),
		"calls":        "f" + strings.Repeat("()", n),
		"not":          strings.Repeat("not ", n) + "x",
		"xor":          "x" + strings.Repeat("^x&x", n),
		"assignments":  strings.Repeat("x=", n) + "1",
		"elif":         "if x: pass\n" + strings.Repeat("elif x: pass\n", n),
		"lambda":       strings.Repeat("lambda:", n) + "x",
		"conditionals": strings.Repeat("x if x else ", n) + "x",
		"strings":      strings.Repeat("'x' ", n),
		"f-strings":    strings.Repeat("f'{", 1000) + strings.Repeat("}'", 1000),
	} {
		m, err := Parse(context.Background(), name, []byte(src+"\n"), lim)
		if errors.Is(err, ErrDeadline) {
			t.Logf("%s: %v", name, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := depth(m); d > lim.MaxDepth+3 {
			t.Errorf("%s: the result is %d deep, limit %d", name, d, lim.MaxDepth)
		}
		wantError := name != "parentheses" && name != "assignments" && name != "strings"
		if got := len(m.Errors) > 0; got != wantError {
			t.Errorf("%s: errors %v, want some: %v", name, m.Errors, wantError)
		}
		if got := len(m.Errors); got > 3*lim.MaxDepth {
			t.Errorf("%s: %d errors for one fault", name, got)
		}
		checkSpans(t, m)
	}
}

func depth(n Node) int {
	deepest := 0
	Children(n, func(c Node) { deepest = max(deepest, depth(c)) })
	return deepest + 1
}

// Every goroutine must see its own file, whoever parsed with the same C parser before.
func TestConcurrentUse(t *testing.T) {
	var group sync.WaitGroup
	for g := range 16 {
		group.Go(func() {
			for i := range 30 {
				name := fmt.Sprintf("name_%d_%d", g, i)
				m, err := Parse(context.Background(), name, fmt.Appendf(nil, "def %s(x):\n    return %s.item()\n", name, name), DefaultLimits)
				if err != nil {
					t.Error(err)
					return
				}
				f, ok := m.Body[0].(*FuncDef)
				if !ok || f.Name != name || m.Text(f.Body[0]) != "return "+name+".item()" {
					t.Errorf("%s: got %s", name, dump(m.Body))
				}
			}
		})
	}
	group.Wait()
}
