package board

import (
	"net/http"
	"net/url"

	"github.com/gatebot/gatebot/webhook/board/signin"
)

// Admit reports whether a request may see a job of a repository; when not, it has been answered. The zero repository stands
// for a job that is not there.
func (b *Board) Admit(w http.ResponseWriter, r *http.Request, repo signin.Repo) bool {
	v := b.door.Visitor(r)
	if v == nil {
		setHeaders(w.Header())
		b.door.Ask(w, r)
		return false
	}
	ok, err := false, error(nil)
	if repo.ID != 0 || v.All() {
		ok, err = v.May(r.Context(), repo)
	}
	switch {
	case err != nil:
		setHeaders(w.Header())
		b.fail(w, r, v, err)
	case !ok:
		http.NotFound(w, r) // as GitHub does: that it is there is nobody's business
	}
	return ok && err == nil
}

// Strict reports whether the page of a job asks who its reader is. Where people can sign in at GitHub, the code in the
// address alone opens nothing.
func (b *Board) Strict() bool { return b.door != nil && b.door.GitHub() }

func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}

// loginData is what the page with the ways in shows.
type loginData struct {
	Problem, To   string
	Token, GitHub bool
}

func (b *Board) loginPage(w http.ResponseWriter, r *http.Request, problem string) {
	b.render(w, 0, page{Name: "login", Title: "Sign in", Data: loginData{Problem: problem, To: r.FormValue("to"), Token: b.door.Token(), GitHub: b.door.GitHub()}})
}
