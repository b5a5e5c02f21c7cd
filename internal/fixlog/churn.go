package fixlog

import (
	"context"
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/internal/git"
)

// churn is which lines of code a commit brought and which it took, by the path that the file had before.
type churn map[string]traffic

// traffic is what came into a file and what left it: bare lines.
type traffic struct{ gained, lost map[string]bool }

// telling matches bare lines that may hold a hazard: without a call, an index or a condition there is none.
var telling = regexp.MustCompile(`[(\[]|^(?:if|elif|while|assert|for|return)\b`)

// churned reads the lines that a commit changed in source files. git.ErrNotFound: a partial clone lacks some of them.
func (u *update) churned(ctx context.Context, changes []git.Change) (churn, error) {
	c := churn{}
	for _, x := range changes {
		if x.OldBlob == x.Blob {
			continue
		}
		var side [2][]string
		for i, b := range []struct{ path, blob string }{{x.OldPath, x.OldBlob}, {x.Path, x.Blob}} {
			if !inScan(b.path, b.blob) {
				continue
			}
			err := u.repo.Blobs(ctx, []string{b.blob}, func(_ string, data []byte, err error) error {
				side[i] = strings.Split(string(data), "\n")
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		side[0], side[1] = middle(side[0], side[1])
		was, is := bareLines(side[0], x.OldPath), bareLines(side[1], x.Path)
		if t := (traffic{tell(surplus(is, was)), tell(surplus(was, is))}); len(t.gained)+len(t.lost) > 0 {
			c[x.OldPath] = t
		}
	}
	return c, nil
}

// middle is what two texts have between the lines with which both begin and those with which both end.
func middle(a, b []string) (x, y []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

func bareLines(lines []string, path string) []string {
	python := strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyi")
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = bare(l, python)
	}
	return out
}

func tell(lines map[string]int) map[string]bool {
	out := map[string]bool{}
	for l := range lines {
		if telling.MatchString(l) {
			out[l] = true
		}
	}
	return out
}

// parts divides a run where a commit takes a line that an earlier one of the same part brought into the same file, or the
// other way round: what hangs on it may have come and gone, or gone and come, between ends that are the same. It does
// so too where a commit takes lines from a file in which an earlier one brought findings.
func parts(run []*glance) (out [][]*glance) {
	var t tide
	for i, g := range run {
		if i == 0 || t.turns(g) {
			out, t = append(out, nil), newTide()
		}
		t.take(g)
		out[len(out)-1] = append(out[len(out)-1], g)
	}
	return out
}

// tide is the churn of a run so far, by the paths that files had at its beginning.
type tide struct {
	first map[string]string // path now to path then, of renamed files
	churn churn
	found map[string]bool // files with findings that a commit of the run brought
}

func newTide() tide {
	return tide{first: map[string]string{}, churn: churn{}, found: map[string]bool{}}
}

// name is what a file was called at the beginning.
func (t *tide) name(path string) string {
	if first, ok := t.first[path]; ok {
		return first
	}
	return path
}

// turns reports whether a commit goes against those before it.
func (t *tide) turns(g *glance) bool {
	for path, x := range g.churn {
		path = t.name(path)
		if was := t.churn[path]; common(was.gained, x.lost) || common(was.lost, x.gained) || len(x.lost) > 0 && t.found[path] {
			return true
		}
	}
	return false
}

// take adds a commit.
func (t *tide) take(g *glance) {
	for path, x := range g.churn {
		path = t.name(path)
		was := t.churn[path]
		t.churn[path] = traffic{union(was.gained, x.gained), union(was.lost, x.lost)}
	}
	renamed := make(map[string]string, len(g.change.renamed))
	for old, now := range g.change.renamed {
		renamed[now] = t.name(old)
	}
	for now, first := range renamed {
		t.first[now] = first
	}
	for i := range g.Gained {
		t.found[t.name(g.Gained[i].Path)] = true
	}
}

func common(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for l := range a {
		if b[l] {
			return true
		}
	}
	return false
}

func union(a, b map[string]bool) map[string]bool {
	if a == nil {
		a = make(map[string]bool, len(b))
	}
	for l := range b {
		a[l] = true
	}
	return a
}
