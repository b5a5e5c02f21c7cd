package outside

import (
	"errors"
	"os"
	"sync"
	"testing"
)

// RequireEnv makes a test fail, instead of being skipped, when its material cannot be had.
const RequireEnv = "GATEBOT_REQUIRE_OUTSIDE"

// one fetches each file once a process, however many tests ask.
var one sync.Mutex

// OpenAPI is GitHub's description of its REST API (13 MB of JSON).
func OpenAPI(t testing.TB) []byte { t.Helper(); return get(t, openAPI) }

// WebhookExamples is GitHub's collection of example webhook payloads: a list of {name, examples}.
func WebhookExamples(t testing.TB) []byte { t.Helper(); return get(t, webhookExamples) }

// SARIFSchema is the JSON schema of SARIF 2.1.0.
func SARIFSchema(t testing.TB) []byte { t.Helper(); return get(t, sarifSchema) }

func get(t testing.TB, f File) []byte {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.read(t.Context(), dir)
	switch {
	case errors.Is(err, ErrUnavailable) && os.Getenv(RequireEnv) == "":
		t.Skipf("NOT RUN, outside material is missing: %v (set %s=1 to make this a failure)", err, RequireEnv)
	case err != nil:
		t.Fatal(err)
	}
	return data
}
