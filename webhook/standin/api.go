package standin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// call is one request to the API on its way through a handler.
type call struct {
	*http.Request
	s     *Server
	repo  *Repository // of the path, nil where it names none
	token *token      // nil when the App itself asks
	body  []byte
	reply http.Header
}

// need is what an endpoint asks of the caller: the App's own token, or an installation token with a permission.
type need struct{ permission, level string }

var asApp = need{}

func read(permission string) need  { return need{permission, "read"} }
func write(permission string) need { return need{permission, "write"} }

type handler func(c *call) (status int, body any, err error)

// routes registers every endpoint; patterns are GitHub's paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, n need, h handler) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, n, h) })
	}
	s.appRoutes(on)
	s.checkRoutes(on)
	s.pullRoutes(on)
	s.gitRoutes(on)
	s.peopleRoutes(on)
	s.commentRoutes(on)
	s.statusRoutes(on)
	s.setupRoutes(on)
	on("POST /graphql", write("contents"), (*call).graphql)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { writeError(w, notFound()) })
	return mux
}

// ServeHTTP takes git's smart HTTP and the pages for people apart from the API and serves all three. The API answers at the root, as
// api.github.com does, and below /api/v3, as GitHub Enterprise does.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s.serveGit(w, req) || s.serveSignIn(w, req) || s.servePage(w, req) {
		return
	}
	switch {
	case req.URL.Path == "/api/graphql":
		req.URL.Path = "/graphql"
	case strings.HasPrefix(req.URL.Path, "/api/v3/"):
		req.URL.Path, req.URL.RawPath = strings.TrimPrefix(req.URL.Path, "/api/v3"), strings.TrimPrefix(req.URL.RawPath, "/api/v3")
	}
	s.record(w, req, func(w http.ResponseWriter) {
		s.withFaults(w, req, func(w http.ResponseWriter) { s.api.ServeHTTP(w, req) })
	})
}

func (s *Server) serve(w http.ResponseWriter, req *http.Request, n need, h handler) {
	c := &call{Request: req, s: s, reply: w.Header()}
	if err := c.admit(n); err != nil {
		writeError(w, err)
		return
	}
	status, body, err := h(c)
	if err != nil {
		writeError(w, err)
		return
	}
	writeTagged(w, req, status, body)
}

// writeTagged answers a read with an entity tag, and with 304 and no body when the caller has it already.
func writeTagged(w http.ResponseWriter, req *http.Request, status int, body any) {
	if data, err := json.Marshal(body); err == nil && req.Method == http.MethodGet && status == http.StatusOK {
		tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(data))
		w.Header().Set("ETag", tag)
		if req.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	writeJSON(w, status, body)
}

// admit reads the body, finds the repository and checks who asks.
func (c *call) admit(n need) error {
	body, err := io.ReadAll(http.MaxBytesReader(nil, c.Body, 64<<20))
	if err != nil {
		return fail(http.StatusBadRequest, "Problems reading the request: %v", err)
	}
	c.body = body
	if owner := c.PathValue("owner"); owner != "" {
		c.s.mu.Lock()
		c.repo = c.s.repository(owner, c.PathValue("repo"))
		c.s.mu.Unlock()
	}
	return c.authorize(n)
}

// decode reads the JSON body.
func (c *call) decode(into any) error {
	dec := json.NewDecoder(bytes.NewReader(c.body))
	if err := dec.Decode(into); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return malformed("For '%s', %s is not a %s.", kind.Field, kind.Value, kind.Type)
		}
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	return nil
}

// page cuts a list to what the query asks for and sets the Link header.
func page[T any](c *call, all []T) ([]T, error) {
	size, number := 30, 1
	for name, into := range map[string]*int{"per_page": &size, "page": &number} {
		if v := c.URL.Query().Get(name); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 {
				return nil, malformed("%s: %q is not a positive integer", name, v)
			}
			*into = n
		}
	}
	size = min(size, 100)
	start, end := min((number-1)*size, len(all)), min(number*size, len(all))
	var links []string
	link := func(n int, rel string) {
		q := c.URL.Query()
		q.Set("page", strconv.Itoa(n))
		links = append(links, fmt.Sprintf("<%s%s?%s>; rel=%q", c.s.URL(), c.URL.Path, q.Encode(), rel))
	}
	if number > 1 {
		link(number-1, "prev")
	}
	if end < len(all) {
		link(number+1, "next")
		link((len(all)+size-1)/size, "last")
	}
	if links != nil {
		c.reply.Set("Link", strings.Join(links, ", "))
	}
	return all[start:end], nil
}

func (c *call) context() context.Context { return c.Context() }

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if body == nil {
		w.WriteHeader(status)
		return
	}
	data, err := json.Marshal(body)
	if err != nil {
		status, data = http.StatusInternalServerError, fmt.Appendf(nil, "%q", err.Error())
	}
	w.WriteHeader(status)
	_, _ = w.Write(data) // the caller may have gone; there is nobody to tell
}

func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = fail(http.StatusInternalServerError, "%v", err)
	}
	for k, v := range e.header {
		w.Header()[k] = v
	}
	writeJSON(w, e.status, e.body())
}

// now is GitHub's clock.
func now() time.Time { return time.Now() }
