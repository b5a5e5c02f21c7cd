package checks

import "testing"

// TestDictIsAFact: who asks whether a name is in the table of a module hangs on that it is one, and not on what is in it.
func TestDictIsAFact(t *testing.T) {
	files := memory{
		"envs.py": "table = {\n    \"a\": lambda: 1,\n}\nlater = {}\n",
		"one.py":  "from envs import table\n\n\nclass One:\n    def forward(self, x, name):\n        if name in table:\n            return 1\n        return x.item()\n",
		"two.py":  "from envs import table\n\n\nclass Two:\n    def forward(self, x, name):\n        return table[name]()\n",
		"own.py":  "def forward(x, later):\n    return x not in later\n",
	}
	for _, c := range []struct {
		name, old, text string
		again           int
	}{
		{"one more", "    \"a\"", "    \"b\": lambda: 2,\n    \"a\"", 1},
		{"a list", "table = {\n    \"a\": lambda: 1,\n}", "table = [1]", 2},
		{"assigned twice", "later", "table = []\nlater", 2},
		{"what nobody asks for", "later = {}", "later = []", 0},
	} {
		for _, saved := range []bool{false, true} {
			if again := cutoff(t, files, "envs.py", c.old, c.text, saved); again != c.again {
				t.Errorf("%s, through a file %t: %d tasks ran again, want %d", c.name, saved, again, c.again)
			}
		}
	}
}
