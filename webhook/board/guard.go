package board

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/gatebot/gatebot/webhook/board/signin"
)

// look is one request of somebody who is in, with what they may see.
type look struct {
	context.Context
	r       *http.Request
	visitor *signin.Visitor
	jobs    []Job         // newest first
	repos   []signin.Repo // by name
}

// repo is the repository that the request is about: the one it names, or the first.
func (l *look) repo() (signin.Repo, bool) {
	want := l.r.URL.Query().Get("repo")
	for _, r := range l.repos {
		if want == "" || want == fullName(r) {
			return r, true
		}
	}
	return signin.Repo{}, false
}

func fullName(r signin.Repo) string { return r.Owner + "/" + r.Name }

func (l *look) names() []string {
	var out []string
	for _, r := range l.repos {
		out = append(out, fullName(r))
	}
	return out
}

// repositories are those of the jobs, each once, by the name that it was last seen under.
func repositories(jobs []Job) []signin.Repo {
	seen := map[int64]bool{}
	var out []signin.Repo
	for _, j := range jobs {
		if !seen[j.Repo.ID] {
			seen[j.Repo.ID] = true
			out = append(out, j.Repo)
		}
	}
	slices.SortFunc(out, func(a, b signin.Repo) int { return strings.Compare(fullName(a), fullName(b)) })
	return out
}

// errNothing: the visitor may read none of the repositories here.
var errNothing = errors.New("nothing to see")

// look finds out what a visitor may see.
func (b *Board) look(ctx context.Context, r *http.Request, v *signin.Visitor) (*look, error) {
	all, err := b.Source.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	repos := repositories(all)
	may, err := v.Readable(ctx, repos)
	if err != nil {
		return nil, err
	}
	l := &look{Context: ctx, r: r, visitor: v}
	for _, x := range repos {
		if may[x.ID] {
			l.repos = append(l.repos, x)
		}
	}
	for _, j := range all {
		if may[j.Repo.ID] {
			l.jobs = append(l.jobs, j)
		}
	}
	if len(l.repos) == 0 && !v.All() {
		return nil, errNothing
	}
	return l, nil
}

// guarded shows a page to whoever is in, and the way in to everybody else.
func (b *Board) guarded(show func(*look) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := b.door.Visitor(r)
		if v == nil {
			b.door.Ask(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		l, err := b.look(ctx, r, v)
		var p page
		if err == nil {
			p, err = show(l)
		}
		if err != nil {
			b.fail(w, r, v, err)
			return
		}
		p.Login, p.In = v.Login, true
		b.render(w, http.StatusOK, p)
	}
}

// fail says why there is no page. What exactly failed is for the log.
func (b *Board) fail(w http.ResponseWriter, r *http.Request, v *signin.Visitor, err error) {
	say := func(status int, title, text string) {
		p := page{Name: "message", Title: title, Data: text}
		if v != nil {
			p.Login, p.In = v.Login, true
		}
		b.render(w, status, p)
	}
	switch {
	case errors.Is(err, signin.ErrRefused):
		b.door.End(w)
		b.door.Ask(w, r)
	case errors.Is(err, errNothing):
		say(http.StatusForbidden, "Nothing to see", "GitHub lets you read none of the repositories that are checked here.")
	case errors.Is(err, signin.ErrUnknown):
		b.Log.WarnContext(r.Context(), "board: permission not known", "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "60")
		say(http.StatusServiceUnavailable, "GitHub cannot be asked", "What you may read is asked at GitHub, which does not answer. Try again in a minute.")
	default:
		b.Log.WarnContext(r.Context(), "board", "path", r.URL.Path, "error", err)
		say(http.StatusServiceUnavailable, "Not available", "The store cannot be read; try again.")
	}
}
