package checks

import "testing"

// TestEnvShared: points of a function that have the same variables have each its own as soon as one of them changes, whichever
// does, and in whatever order they were made.
func TestEnvShared(t *testing.T) {
	a, b, c := constant(1), constant(2), constant(3)
	want := func(e *env, what string, v *Value) {
		t.Helper()
		if got, _ := e.get("x"); got != v {
			t.Errorf("%s: x is %v, want %v", what, got, v)
		}
	}
	base := newEnv(nil)
	base.set("x", a)
	then, els := base.clone(), base.clone()
	then.set("x", b)
	want(base, "before the branch", a)
	want(els, "in the other branch", a)
	base.set("x", c)
	want(els, "in the other branch, when what was before it changes", a)
	want(then, "in the first branch", b)

	els.unset("x")
	want(els, "deleted", nil)
	want(base, "where it was not deleted", c)

	out := newEnv(nil)
	out.dead = true
	out.merge(base) // what was not reached is what is merged into it
	out.set("x", a)
	want(base, "merged from", c)
	want(out, "merged into", a)
	out.merge(out.clone())
	want(out, "merged with itself", a)

	same := base.clone()
	same.merge(base)
	if same.refs == nil || same.refs != base.refs {
		t.Error("a merge of what is the same makes a copy")
	}
	same.set("x", b)
	base.set("y", a) // alone again
	want(base, "after the other one has its own", c)
	want(same, "its own", b)
}

// TestEntersDevice: `with torch.device(…):` and `with target_device:` make a device the default, and nothing else does.
func TestEntersDevice(t *testing.T) {
	for src, want := range map[string]bool{
		"with torch.device(\"cuda\"):\n    pass\n":           true,
		"def f():\n\n\n    with torch.device(d), other():\n": true,
		"\twith self.target_device:\n":                       true,
		"x = 1\r\nwith device, other:\r\n":                   true,
		"with torch.cuda.device(1):\n":                       false,
		"with open(device) as f:\n":                          false,
		"x = \"with device:\"\n":                             false,
		"without device:\n":                                  false,
		"with torch.device(\n    \"cuda\"):\n":               false,
		"# with device:\nwith device\n":                      false,
		"":                                                   false,
	} {
		if got := entersDevice([]byte(src)); got != want {
			t.Errorf("%q: %t, want %t", src, got, want)
		}
	}
}
