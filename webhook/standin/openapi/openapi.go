// Package openapi checks HTTP traffic against GitHub's own OpenAPI description of its API: the requests that gatebot
// sends, the answers and webhook payloads that the stand-in makes up. It is the only importer of kin-openapi.
package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Description is GitHub's description of its API, loaded. It is safe for concurrent use.
type Description struct {
	doc    *openapi3.T
	router routers.Router
}

// Load reads the file package/generated/api.github.com.json of npm's @octokit/openapi. It takes about two seconds.
func Load(data []byte) (*Description, error) {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("openapi description: %w (is it api.github.com.json of @octokit/openapi?)", err)
	}
	// The description names api.github.com; the stand-in answers elsewhere, so paths alone are matched.
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("openapi description: %w", err)
	}
	return &Description{doc: doc, router: router}, nil
}

// Violation is one message that does not follow the description.
type Violation struct {
	Method, Path string
	Why          string
}

func (v Violation) String() string { return v.Method + " " + v.Path + ": " + v.Why }

// Validator collects the violations of everything that passes through it.
type Validator struct {
	d *Description

	mu         sync.Mutex
	violations []Violation
	checked    int
}

// NewValidator makes a Validator with no violations.
func (d *Description) NewValidator() *Validator { return &Validator{d: d} }

// Violations lists what was wrong so far.
func (v *Validator) Violations() []Violation {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.violations)
}

// Checked counts the requests looked at: none looked at is no proof of anything.
func (v *Validator) Checked() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.checked
}

// Around is the middleware: it validates the request and, when answers is set, the answer too. Traffic is passed on
// whether valid or not, so that one mistake does not hide the next. GraphQL has no OpenAPI description and is exempt.
func (v *Validator) Around(answers bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/graphql" {
				next.ServeHTTP(w, req)
				return
			}
			input, err := v.d.checkRequest(req)
			v.note(req, err)
			if !answers || input == nil {
				next.ServeHTTP(w, req)
				return
			}
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, req)
			v.note(req, rec.check(input))
		})
	}
}

func (v *Validator) note(req *http.Request, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.checked++
	if err != nil {
		v.violations = append(v.violations, Violation{Method: req.Method, Path: req.URL.Path, Why: err.Error()})
	}
}

// checkRequest validates method, path, parameters and body. The body can be read again afterwards.
func (d *Description) checkRequest(req *http.Request) (*openapi3filter.RequestValidationInput, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	restore := func() { req.Body = io.NopCloser(bytes.NewReader(body)) }
	restore()
	defer restore()
	// The router wants an address that a server of the description could have; only the path counts.
	probe := req.Clone(req.Context())
	probe.URL = &url.URL{Scheme: "http", Host: "api.github.com", Path: req.URL.Path, RawQuery: req.URL.RawQuery}
	probe.URL.RawPath = escapeTail(req.URL.EscapedPath())
	route, params, err := d.router.FindRoute(probe)
	if err != nil {
		return nil, fmt.Errorf("not in the description: %w", err)
	}
	probe.Body = io.NopCloser(bytes.NewReader(body))
	probe.ContentLength = int64(len(body))
	if probe.Header.Get("Content-Type") == "" && len(body) > 0 {
		probe.Header.Set("Content-Type", "application/json")
	}
	input := &openapi3filter.RequestValidationInput{
		Request: probe, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true,
		},
	}
	if err := openapi3filter.ValidateRequest(req.Context(), input); err != nil {
		return input, errors.New(brief(err))
	}
	return input, unknownFields(route, body)
}

// tails are the endpoints whose last parameter may hold slashes, which GitHub takes as they are and a router does not.
var tails = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/(?:git/refs?|git/matching-refs|contents|branches|compare)/)(.+)$`)

func escapeTail(path string) string {
	m := tails.FindStringSubmatch(path)
	if m == nil {
		return path
	}
	return m[1] + strings.ReplaceAll(m[2], "/", "%2F")
}

// brief is the first line of an error: kin-openapi appends the whole schema.
func brief(err error) string {
	var lines []string
	var all openapi3.MultiError
	if errors.As(err, &all) {
		for _, e := range all {
			lines = append(lines, brief(e))
		}
		return strings.Join(lines, "; ")
	}
	line, _, _ := strings.Cut(err.Error(), "\nSchema:")
	return line
}

// WebhookEvent validates a webhook payload against the description's x-webhooks; name is such as "push" or
// "pull-request-opened".
func (d *Description) WebhookEvent(ctx context.Context, name string, payload []byte) error {
	schema, err := d.webhookSchema(name)
	if err != nil {
		return err
	}
	return checkJSON(ctx, schema, payload)
}
