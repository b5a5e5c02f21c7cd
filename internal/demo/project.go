package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// project is the repository of the demo: one decode step of a mixture-of-experts layer.
//
//go:embed project
var project embed.FS

// edit is one change of one file; the lines of new that contain a hazard end in the marker, which is not written.
type edit struct {
	path     string
	old, new string
}

// marker stands at the end of each planted line, so that the lines to expect follow from the text itself.
const marker = "  #<"

// change is one commit.
type change struct {
	message string
	edits   []edit
}

// The history of main: two violations come in, two commits fix them. Then a pull request plants two more in two files.
var (
	logBusiest = change{"Log the busiest expert", []edit{{
		"moe/router.py",
		"        self.load.scatter_add_(0, flat, self.ones[: flat.shape[0]])\n",
		"        self.load.scatter_add_(0, flat, self.ones[: flat.shape[0]])\n" +
			"        self.busiest = self.load.max().item()" + marker + "\n",
	}}}
	stopEarly = change{"Stop when every sequence has ended", []edit{{
		"moe/decode.py",
		"        self.tokens.copy_(logits.argmax(dim=-1))\n",
		"        self.tokens.copy_(logits.argmax(dim=-1))\n" +
			"        if (self.tokens == 0).all():" + marker + "\n" +
			"            return logits\n",
	}}}
	fixBusiest = change{"Keep the busiest expert's load on the device", []edit{{
		"moe/router.py",
		"        self.busiest = self.load.max().item()\n",
		"        self.busiest.copy_(self.load.max())\n",
	}, {
		"moe/router.py",
		"        self.register_buffer(\"ones\"",
		"        self.register_buffer(\"busiest\", torch.zeros((), device=\"cuda\"))\n" +
			"        self.register_buffer(\"ones\"",
	}}}
	fixStop = change{"Leave the end-of-sequence test to the scheduler", []edit{{
		"moe/decode.py",
		"        if (self.tokens == 0).all():\n            return logits\n", "",
	}}}

	plant = change{"Skip idle experts and report the router's confidence", []edit{{
		"moe/router.py",
		"        weights, chosen = scores.topk(self.top_k, dim=-1)\n",
		"        weights, chosen = scores.topk(self.top_k, dim=-1)\n" +
			"        self.confidence = weights.mean().item()" + marker + "\n",
	}, {
		"moe/decode.py",
		"        y = x + self.moe(y, weights, chosen)\n",
		"        busy = self.router.load.nonzero()" + marker + "\n" +
			"        y = x + self.moe(y, weights, chosen) * busy.shape[0]\n",
	}}}
	repair = change{"Report the router's confidence without a sync", []edit{{
		"moe/router.py",
		"        self.confidence = weights.mean().item()\n",
		"        self.confidence = weights.mean()\n",
	}, {
		"moe/decode.py",
		"        busy = self.router.load.nonzero()\n" +
			"        y = x + self.moe(y, weights, chosen) * busy.shape[0]\n",
		"        busy = self.router.load > 0\n" +
			"        y = x + self.moe(y, weights, chosen) * busy.sum()\n",
	}}}
	badPush = change{"Debug print of the chosen experts", []edit{{
		"moe/router.py",
		"        self.count(chosen)\n",
		"        self.count(chosen)\n        print(chosen.cpu())" + marker + "\n",
	}}}
	goodPush = change{"Say what the weights are", []edit{{
		"moe/router.py",
		"        self.count(chosen)\n",
		"        self.count(chosen)  # before the weights are used, so that it overlaps with them\n",
	}}}
)

// place is a line that a hazard was planted on.
type place struct {
	path string
	line int
	text string
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// writeProject writes the first version of the project.
func writeProject(dir string) error {
	return fs.WalkDir(project, "project", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, "project")))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := project.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// apply makes the edits of a change in dir and returns the places it planted hazards on.
func (c change) apply(dir string) ([]place, error) {
	var planted []place
	for _, e := range c.edits {
		file := filepath.Join(dir, filepath.FromSlash(e.path))
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		before, after, ok := strings.Cut(string(data), e.old)
		if !ok {
			return nil, fmt.Errorf("demo: %q: %s does not hold the text to change", c.message, e.path)
		}
		line := strings.Count(before, "\n") + 1
		for i, text := range strings.Split(e.new, "\n") {
			if clean, found := strings.CutSuffix(text, marker); found {
				planted = append(planted, place{e.path, line + i, strings.TrimSpace(clean)})
			}
		}
		content := before + strings.ReplaceAll(e.new, marker, "") + after
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	return planted, nil
}
