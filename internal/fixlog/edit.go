package fixlog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/pyast"
)

// edit is what a commit did to the text of one source file. Lines are compared without blanks that say nothing, so
// that what was only indented anew is no difference.
type edit struct {
	was, is *source        // one of them is nil for a file that came or went
	gone    map[string]int // lines of functions that have them no more, how often
	added   []addition     // lines of functions that did not have them
}

// addition is a line of code with the function it stands in.
type addition struct{ function, text string }

// source is a file cut into its functions. A file that is not Python is one piece.
type source struct {
	path      string
	python    bool
	lines     []string            // bare
	depth     []int               // of each line: how far it is indented, in bytes
	function  []string            // of each line: qualified name of the innermost one, empty at module level
	functions map[string]bool     // by qualified name
	of        map[string][]string // the lines of each
}

// readEdits reads what a commit changed, by old path. git.ErrNotFound: a partial clone lacks some of it.
func readEdits(ctx context.Context, repo git.Repository, shelf *pyast.Shelf, changes []git.Change) (map[string]*edit, error) {
	edits := map[string]*edit{}
	for _, x := range changes {
		e := &edit{}
		for _, side := range []struct {
			path, blob string
			into       **source
		}{{x.OldPath, x.OldBlob, &e.was}, {x.Path, x.Blob, &e.is}} {
			if side.blob == "" || git.IsZeroID(side.blob) || !config.IsSource(side.path) {
				continue
			}
			err := repo.Blobs(ctx, []string{side.blob}, func(_ string, data []byte, err error) error {
				if err != nil {
					return err
				}
				*side.into = cut(ctx, shelf, side.path, data)
				return ctx.Err()
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", side.path, err)
			}
		}
		e.compare()
		edits[x.OldPath] = e
	}
	return edits, nil
}

// cut splits a file. One that cannot be parsed is a piece of text: what is then said about it is less, and never more.
func cut(ctx context.Context, shelf *pyast.Shelf, path string, data []byte) *source {
	s := &source{path: path, functions: map[string]bool{}, of: map[string][]string{}}
	text := strings.Split(string(data), "\n")
	s.function = make([]string, len(text))
	if strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyi") {
		if m, _, err := shelf.Parse(ctx, path, data, pyast.DefaultLimits); err == nil {
			s.python = true
			s.name(m.Body, "", text)
		}
	}
	for i, l := range text {
		s.depth = append(s.depth, len(l)-len(strings.TrimLeft(l, " \t")))
		l = bare(l, s.python)
		s.lines = append(s.lines, l)
		if l != "" {
			s.of[s.function[i]] = append(s.of[s.function[i]], l)
		}
	}
	return s
}

// name marks the lines of every function, inner ones after outer ones, and empties those of docstrings.
func (s *source) name(body []pyast.Stmt, prefix string, text []string) {
	for _, st := range body {
		pyast.Walk(st, func(n pyast.Node) bool {
			switch n := n.(type) {
			case *pyast.FuncDef:
				s.functions[prefix+n.Name] = true
				for i := max(n.Pos().Start.Line-1, 0); i < min(n.Pos().End.Line, int32(len(s.function))); i++ { //nolint:gosec // a file of 2^31 lines is over the limit of the parser
					s.function[i] = prefix + n.Name
				}
				s.name(n.Body, prefix+n.Name+".", text)
				return false
			case *pyast.ExprStmt: // a text alone is what people say
				if c, ok := n.X.(*pyast.Const); ok && c.Kind == pyast.ConstString {
					for i := max(n.Pos().Start.Line-1, 0); i < min(n.Pos().End.Line, int32(len(text))); i++ { //nolint:gosec // as above
						text[i] = ""
					}
				}
			case *pyast.ClassDef:
				s.name(n.Body, prefix+n.Name+".", text)
				return false
			}
			return true
		})
	}
}

// bare is a line without comment, and without blanks but those between words.
func bare(l string, python bool) string {
	mark := "//"
	if python {
		mark = "#"
	}
	for from := 0; ; {
		i := strings.Index(l[from:], mark)
		if i < 0 {
			break
		}
		i += from
		if head := l[:i]; strings.Count(head, `"`)%2 == 0 && strings.Count(head, "'")%2 == 0 {
			l = head
			break
		}
		from = i + len(mark)
	}
	var b strings.Builder
	for i, w := range strings.Fields(l) {
		if text := b.String(); i > 0 && isWord(text[len(text)-1]) && isWord(w[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// compare finds what each function lost and gained.
func (e *edit) compare() {
	e.gone = map[string]int{}
	var was, is map[string][]string
	if e.was != nil {
		was = e.was.of
	}
	if e.is != nil {
		is = e.is.of
	}
	for f, lines := range was {
		for l, n := range surplus(lines, is[f]) {
			e.gone[l] += n
		}
	}
	for f, lines := range is {
		left := surplus(lines, was[f])
		for _, l := range lines {
			if left[l] > 0 {
				left[l]--
				e.added = append(e.added, addition{f, l})
			}
		}
	}
	slices.SortStableFunc(e.added, func(a, b addition) int { return strings.Compare(a.function, b.function) })
}

// surplus is what a has more often than b.
func surplus(a, b []string) map[string]int {
	n := map[string]int{}
	for _, l := range a {
		n[l]++
	}
	for _, l := range b {
		n[l]--
	}
	for l, c := range n {
		if c <= 0 {
			delete(n, l)
		}
	}
	return n
}
