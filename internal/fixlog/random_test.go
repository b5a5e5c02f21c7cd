package fixlog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/git"
)

// maker writes histories: files of functions, in which lines with findings come, go, move and come back.
type maker struct {
	*rand.Rand
	files  map[string][]string // lines
	next   int
	unseen bool // some findings are none that the file shows by itself
}

const filler = "# a\n# b\n# c\n# d\n# e\n# f" // so that a file that was renamed is told by its content

func (m *maker) file() string {
	return slices.Sorted(maps.Keys(m.files))[m.IntN(len(m.files))]
}

func (m *maker) line() string {
	expr := fmt.Sprintf("v%d", m.IntN(3))
	if m.unseen && m.IntN(2) == 0 {
		expr = "unseen" + strconv.Itoa(m.IntN(3))
	}
	return "    y = " + expr + ".item()"
}

// change makes one commit's worth of changes.
func (m *maker) change() {
	m.next++
	name := m.file()
	lines := m.files[name]
	hits, heads := []int{}, []int{}
	for i, l := range lines {
		if item.MatchString(l) {
			hits = append(hits, i)
		}
		if def.MatchString(l) {
			heads = append(heads, i)
		}
	}
	switch k := m.IntN(30); {
	case k < 3 && len(hits) > 0: // take one out
		i := hits[m.IntN(len(hits))]
		m.files[name] = slices.Delete(slices.Clone(lines), i, i+1)
	case k < 6: // bring one
		i := heads[m.IntN(len(heads))] + 1
		m.files[name] = slices.Insert(slices.Clone(lines), i, m.line())
	case k == 6 && len(hits) > 0: // move one to another file
		i, to := hits[m.IntN(len(hits))], m.file()
		line := lines[i]
		m.files[name] = slices.Delete(slices.Clone(lines), i, i+1)
		m.files[to] = append(slices.Clone(m.files[to]), line)
	case k == 7:
		delete(m.files, name)
		m.files[fmt.Sprintf("f%d.py", m.IntN(6))] = lines
	case k == 8 && len(m.files) > 1:
		delete(m.files, name)
	case k == 9:
		m.files[fmt.Sprintf("f%d.py", m.IntN(6))] = append(strings.Split(filler, "\n"), "def g(x):", "    return f(x)", "def h(x):", "    if x:", m.line())
	case k == 10 && !m.unseen:
		if _, hidden := m.files["hide.py"]; hidden {
			delete(m.files, "hide.py")
		} else {
			m.files["hide.py"] = []string{"def hide(x):", "    return 1"}
		}
	default:
		m.files[name] = append(slices.Clone(lines), fmt.Sprintf("    z%d = f(%d)", m.next, m.next))
	}
	if len(m.files) == 0 || len(m.files) == 1 && m.files["hide.py"] != nil {
		m.files["f0.py"] = append(strings.Split(filler, "\n"), "def g(x):", m.line())
	}
}

// history writes n commits.
func (m *maker) history(h *hist, n int) {
	var states []map[string]string
	for i := range n {
		if i > 0 {
			m.change()
		}
		files := map[string]string{}
		for name, lines := range m.files {
			files[name] = strings.Join(lines, "\n") + "\n"
		}
		states = append(states, files)
	}
	h.stream(states)
}

// stream writes a commit for each state of all files, in one process, and gives their ids.
func (h *hist) stream(states []map[string]string) (ids []string) {
	h.t.Helper()
	var b strings.Builder
	for i, files := range states {
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter Cy <cy@x> %d +0000\ndata <<E\ncommit %d\nE\n", i+1, 1770000000+i, i)
		if i > 0 {
			fmt.Fprintf(&b, "from :%d\ndeleteall\n", i)
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&b, "M 100644 inline %s\ndata <<E\n%sE\n", name, files[name])
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Env, cmd.Stdin = h.dir, git.CleanEnv(), strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	ids = strings.Fields(h.git("rev-list", "--first-parent", "main"))
	slices.Reverse(ids)
	return ids
}

// look is a quick look that sees what h.scan sees in the files of the commit alone, but for what is not to be seen there.
func (h *hist) look(ctx context.Context, _ git.Commit, changes []git.Change) (Look, error) {
	out := Look{Seen: changes}
	n, at := map[string]int{}, map[string]finding.Finding{}
	for _, x := range changes {
		for _, side := range []struct {
			path, blob string
			by         int
		}{{x.OldPath, x.OldBlob, -1}, {x.Path, x.Blob, 1}} {
			if git.IsZeroID(side.blob) || side.blob == "" {
				continue
			}
			err := h.repo.Blobs(ctx, []string{side.blob}, func(_ string, data []byte, err error) error {
				for _, f := range flagged(side.path, data) {
					if !strings.Contains(code(&f), "unseen") {
						key := f.Function + f.MoveKey
						n[key] += side.by
						if side.by > 0 {
							at[key] = f
						}
					}
				}
				return err
			})
			if err != nil {
				return out, err
			}
		}
	}
	for key, k := range n {
		if k < 0 {
			out.Sight = Lost
		}
		if k > 0 {
			out.Gained = append(out.Gained, at[key])
		}
	}
	return out, nil
}

// TestRandomHistories: the log is the same when quick looks spare most scans as when every commit is compared with its
// parent. GATEBOT_SEEDS says how many histories are made.
func TestRandomHistories(t *testing.T) {
	seeds := 4
	if n, err := strconv.Atoi(os.Getenv("GATEBOT_SEEDS")); err == nil {
		seeds = n
	}
	scans, spared := 0, 0
	for seed := range seeds {
		h := newHist(t)
		m := &maker{Rand: rand.New(rand.NewPCG(uint64(seed), 1)), files: map[string][]string{}, unseen: seed%2 == 0} //nolint:gosec // a history is no secret
		for i := range 3 {
			m.files[fmt.Sprintf("f%d.py", i)] = append(strings.Split(filler, "\n"), "def g(x):", m.line(), "def h(x):", m.line())
		}
		m.history(h, 40)
		walk := func(look Looker) (out []string, n int) {
			l := &Ledger{}
			scan := ScanFunc(func(ctx context.Context, rev string) ([]finding.Finding, error) {
				n++
				return h.scan(ctx, rev)
			})
			_, err := Update(t.Context(), h.repo, scan, l, Options{After: "main~39", Tip: "main", Look: look})
			if err != nil && !errors.Is(err, git.ErrNotFound) {
				t.Fatal(err)
			}
			for _, r := range l.Records {
				out = append(out, fmt.Sprintf("%.7s %s %s %s %s %v %.7s %s", r.Commit, r.State, r.Path, r.NowPath, r.Symbol, r.Fingerprints, r.RegressedIn, r.Doubt))
			}
			return out, n
		}
		want, all := walk(nil)
		got, some := walk(h.look)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: each commit:\n%s\nwith quick looks:\n%s", seed, strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
		scans, spared = scans+all, spared+all-some
	}
	if spared*3 < scans {
		t.Errorf("%d scans, only %d of them spared", scans, spared)
	}
	t.Logf("%d scans, %d of them spared", scans, spared)
}
