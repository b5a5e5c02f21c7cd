package standin

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/outside"
	"github.com/gatebot/gatebot/webhook/standin/openapi"
)

// testKey is one App key for the whole process: making one takes a while.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, _, err := NewAppKey()
	if err != nil {
		panic(err)
	}
	return key
})

// description is GitHub's API description, loaded once.
var description = sync.OnceValues(func() (*openapi.Description, error) { return openapi.Load(descriptionData) })

var descriptionData []byte

func loadDescription(t *testing.T) *openapi.Description {
	t.Helper()
	if data := outside.OpenAPI(t); descriptionData == nil {
		descriptionData = data
	}
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// world is a stand-in with one repository that has one commit on main, and a client with a token for it.
type world struct {
	*testing.T
	s     *Server
	repo  *Repository
	alice *User
	base  string
	token string
}

func newWorld(t *testing.T, opt Options) *world {
	t.Helper()
	opt.Dir, opt.AppKey, opt.Secret = t.TempDir(), &testKey().PublicKey, "s3cret"
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{T: t, s: s, alice: s.AddUser("alice", "alice-token")}
	if w.repo, err = s.CreateRepository(t.Context(), "acme", "kernels"); err != nil {
		t.Fatal(err)
	}
	w.base = w.commit("main", "Start", "step.py", "def step(x):\n    return x\n")
	w.token = w.mint(nil)
	return w
}

func (w *world) commit(branch, message, path, content string) string {
	w.Helper()
	id, err := w.repo.Commit(w.Context(), w.alice, branch, message, Change{Path: path, Content: []byte(content)})
	if err != nil {
		w.Fatal(err)
	}
	return id
}

// appToken signs a token as the App.
func appToken(claims map[string]any) string {
	part := func(v any) string {
		data, _ := json.Marshal(v) // maps of plain values
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := part(map[string]string{"alg": "RS256", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, testKey(), crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

func goodClaims() map[string]any {
	return map[string]any{"iss": "1", "iat": time.Now().Add(-time.Minute).Unix(), "exp": time.Now().Add(9 * time.Minute).Unix()}
}

func (w *world) mint(body any) string {
	w.Helper()
	got := w.want(http.StatusCreated, appToken(goodClaims()), "POST",
		fmt.Sprintf("/app/installations/%d/access_tokens", w.repo.Installation()), body)
	return got["token"].(string)
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

// do sends one request; err is the transport's.
func (w *world) do(token, method, path string, body any) (reply, error) {
	w.Helper()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			w.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(w.Context(), method, w.s.URL()+path, in)
	if err != nil {
		w.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, data}, err
}

// want sends one request and insists on the status; it returns the body when that is an object.
func (w *world) want(status int, token, method, path string, body any) map[string]any {
	w.Helper()
	got, err := w.do(token, method, path, body)
	if err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
	if got.status != status {
		w.Fatalf("%s %s: status %d, want %d: %s", method, path, got.status, status, got.body)
	}
	var o map[string]any
	_ = json.Unmarshal(got.body, &o) // lists and empty bodies stay nil
	return o
}

func (w *world) path(tail string) string { return "/repos/acme/kernels" + tail }

func (w *world) newRun(more map[string]any) int64 {
	w.Helper()
	body := map[string]any{"name": "gatebot", "head_sha": w.base}
	for k, v := range more {
		body[k] = v
	}
	return int64(w.want(http.StatusCreated, w.token, "POST", w.path("/check-runs"), body)["id"].(float64))
}

func (w *world) runPath(id int64) string { return w.path("/check-runs/" + strconv.FormatInt(id, 10)) }

// receiver is a webhook endpoint that keeps what it gets.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []*http.Request
	bodies [][]byte
	status int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusAccepted}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got, r.bodies = append(r.got, req), append(r.bodies, body)
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

// settle waits until every delivery was attempted.
func (w *world) settle() []Delivery {
	w.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		all := w.s.Deliveries()
		open := 0
		for i := range all {
			if !all[i].Done {
				open++
			}
		}
		if open == 0 {
			return all
		}
		if time.Now().After(deadline) {
			w.Fatalf("%d deliveries still open", open)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
