package checks

import "testing"

// TestOtherAttribute: a task hangs on the attributes that it looks at, and on what leads to the same objects as they do.
func TestOtherAttribute(t *testing.T) {
	files := memory{
		"c.py": "import torch\n\n\nclass Part:\n    def __init__(self):\n        self.lens = torch.zeros(4)\n\n\n" +
			"class C:\n    def __init__(self):\n        self.count = 4\n        self.fast = True\n        self.part = Part()\n        self.table = {}\n        self.rows = {}\n",
		// It looks at one attribute, which no evidence leads to.
		"one.py": "from c import C\n\n\nclass One:\n    def forward(self, c: C, x):\n        if c.fast:\n            return 1\n        return x.item()\n",
		// It looks at two of which one object may be both.
		"two.py": "from c import C\n\n\nclass Two:\n    def forward(self, c: C, x):\n        c.table[\"a\"] = 1\n        if c.rows[\"a\"]:\n            return 1\n        return x.item()\n",
	}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"one attribute more", "        self.fast", "        self.more = 4\n        self.fast", 0},
		{"one attribute less", "        self.count = 4\n", "", 0},
		{"another value", "self.count = 4", "self.count = torch.zeros(4)", 0},
		{"the attribute", "self.fast = True", "self.fast = torch.zeros(4)", 1},
		{"an attribute goes", "        self.fast = True\n", "", 1},
		{"one object for two", "        self.table = {}\n        self.rows = {}\n", "        self.table = self.rows = {}\n", 1},
		{"the other class", "(4)\n\n\nclass C", "(4, device=\"cuda\")\n\n\nclass C", 0},
	} {
		for _, saved := range []bool{false, true} {
			if again := cutoff(t, files, "c.py", c.old, c.text, saved); again != c.again {
				t.Errorf("%s, through a file %t: %d tasks ran again, want %d", c.name, saved, again, c.again)
			}
		}
	}
}

// TestFieldsBehind: a data class that gets one field more behind those that are given by place is the same, unless all are
// asked for.
func TestFieldsBehind(t *testing.T) {
	files := memory{
		"c.py": "from dataclasses import dataclass\nfrom typing import NamedTuple\n\n\n@dataclass\nclass C:\n    a: int\n    b: int\n\n\n" +
			"class N(NamedTuple):\n    a: int\n    b: int\n",
		"one.py": "from c import C\n\n\nclass One:\n    def forward(self, x):\n        c = C(x, 1)\n        return c.a.item()\n",
		"two.py": "from c import N\n\n\nclass Two:\n    def forward(self, n: N, x):\n        a, b = n\n        return x.item()\n",
	}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"one more behind", "    b: int\n\n\nclass N", "    b: int\n    c: int\n\n\nclass N", 0},
		{"one more before", "class C:\n", "class C:\n    z: int\n", 1},
		{"of a tuple", "(NamedTuple):\n    a: int\n    b: int\n", "(NamedTuple):\n    a: int\n    b: int\n    c: int\n", 1},
	} {
		if again := cutoff(t, files, "c.py", c.old, c.text, false); again != c.again {
			t.Errorf("%s: %d tasks ran again, want %d", c.name, again, c.again)
		}
	}
}
