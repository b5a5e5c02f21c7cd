package standin

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cgi"
	"regexp"
	"time"
)

// gitPath is a request of git's smart HTTP.
var gitPath = regexp.MustCompile(`^/([^/]+)/([^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)$`)

// maxPack bounds one push.
const maxPack = 256 << 20

// serveGit serves git's smart HTTP by git http-backend and reports whether the request was one.
func (s *Server) serveGit(w http.ResponseWriter, req *http.Request) bool {
	m := gitPath.FindStringSubmatch(req.URL.Path)
	if m == nil {
		return false
	}
	s.mu.Lock()
	repo := s.repository(m[1], m[2])
	s.mu.Unlock()
	writes := m[3] == "git-receive-pack" || req.URL.Query().Get("service") == "git-receive-pack"
	by, status := s.gitAccess(req, repo, writes)
	if status != http.StatusOK {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		}
		http.Error(w, http.StatusText(status), status)
		return true
	}
	backend := &cgi.Handler{
		Path: s.git.path, Args: []string{"http-backend"}, Dir: s.opt.Dir,
		Env: append(append([]string{}, s.git.env...),
			"GIT_PROJECT_ROOT="+s.opt.Dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER="+by.Login,
			"GIT_PROTOCOL="+req.Header.Get("Git-Protocol")),
	}
	inner := req.Clone(req.Context())
	inner.URL.Path = "/" + repo.FullName() + ".git/" + m[3]
	if req.ContentLength < 0 {
		// CGI takes a body of known length only, and git sends large packs in chunks.
		pack, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxPack))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return true
		}
		inner.Body, inner.ContentLength, inner.TransferEncoding = io.NopCloser(bytes.NewReader(pack)), int64(len(pack)), nil
	}
	backend.ServeHTTP(w, inner)
	if m[3] == "git-receive-pack" {
		// Before the answer ends, so that a client that has pushed sees the push's effects; and to its end, even when
		// the client has gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(req.Context()), time.Minute)
		defer cancel()
		// A repository that cannot be read makes no events; the test that waits for them says so.
		_ = repo.sync(ctx, by)
	}
	return true
}

// gitAccess says who asks and with what status: an installation token reads (and writes with contents: write) its own
// repository, a user's token reads and writes all of them.
func (s *Server) gitAccess(req *http.Request, repo *Repository, writes bool) (*User, int) {
	credential := bearer(req)
	if credential == "" {
		return nil, http.StatusUnauthorized
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		if u.Token != "" && u.Token == credential {
			if repo == nil {
				return nil, http.StatusNotFound
			}
			return u, http.StatusOK
		}
	}
	t := s.tokens[credential]
	switch {
	case t == nil || time.Now().After(t.expires):
		return nil, http.StatusUnauthorized
	case repo == nil || t.repo != repo:
		return nil, http.StatusNotFound
	case t.permissions["contents"] == "" || writes && t.permissions["contents"] != "write":
		return nil, http.StatusForbidden
	}
	return s.bot(), http.StatusOK
}
