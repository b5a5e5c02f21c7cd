package outside

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMaterialIsWhatItSaysItIs(t *testing.T) {
	var description struct {
		OpenAPI string
		Paths   map[string]any
	}
	if err := json.Unmarshal(OpenAPI(t), &description); err != nil {
		t.Fatal(err)
	}
	if len(description.Paths) < 700 {
		t.Errorf("description has %d paths, want GitHub's whole API (more than 700)", len(description.Paths))
	}
	var events []struct{ Name string }
	if err := json.Unmarshal(WebhookExamples(t), &events); err != nil {
		t.Fatal(err)
	}
	if len(events) < 50 {
		t.Errorf("examples of %d events, want more than 50", len(events))
	}
}

func TestCacheRefusesWhatIsNotPinned(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no npm: only the cache can answer
	t.Setenv(RequireEnv, "")
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("right"))
	f := File{Package: "p@1", Name: "package/a.json", Cache: "a.json", SHA256: hex.EncodeToString(sum[:])}

	if _, err := f.read(t.Context(), dir); !errors.Is(err, ErrUnavailable) {
		t.Errorf("empty cache, no npm: error %v, want ErrUnavailable", err)
	}
	write := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("righ") // cut off
	if _, err := f.read(t.Context(), dir); !errors.Is(err, ErrUnavailable) {
		t.Errorf("damaged cache, no npm: error %v, want ErrUnavailable", err)
	}
	write("right")
	if data, err := f.read(t.Context(), dir); err != nil || string(data) != "right" {
		t.Errorf("cache with the pinned file: %q, %v", data, err)
	}
}

// TestFetchChecksTheHash gives fetch an npm that packs something else.
func TestFetchChecksTheHash(t *testing.T) {
	bin := t.TempDir()
	archive := filepath.Join(bin, "p.tgz")
	writeArchive(t, archive, "package/a.json", "tampered")
	script := "#!/bin/sh\n/bin/cp " + archive + " .\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	f := File{Package: "p@1", Name: "package/a.json", Cache: "a.json", SHA256: "00"}
	dir := t.TempDir()
	if _, err := f.read(t.Context(), dir); !errors.Is(err, errHash) {
		t.Errorf("error %v, want errHash", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("left in the cache: %v, want nothing", left)
	}
	sum := sha256.Sum256([]byte("tampered"))
	f.SHA256 = hex.EncodeToString(sum[:])
	if data, err := f.read(t.Context(), dir); err != nil || string(data) != "tampered" {
		t.Errorf("with the right hash: %q, %v", data, err)
	}
}

// TestFetchIsTriedAgain: a registry that fails once.
func TestFetchIsTriedAgain(t *testing.T) {
	bin := t.TempDir()
	archive := filepath.Join(bin, "p.tgz")
	writeArchive(t, archive, "package/a.json", "right")
	script := "#!/bin/sh\n[ -e " + bin + "/asked ] || { : > " + bin + "/asked; echo 503; exit 1; }\n/bin/cp " + archive + " .\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv(RequireEnv, "1")
	old := fetchPauses
	t.Cleanup(func() { fetchPauses = old })
	fetchPauses = []time.Duration{time.Millisecond}
	sum := sha256.Sum256([]byte("right"))
	f := File{Package: "p@1", Name: "package/a.json", Cache: "a.json", SHA256: hex.EncodeToString(sum[:])}
	if data, err := f.read(t.Context(), t.TempDir()); err != nil || string(data) != "right" {
		t.Errorf("%q, %v", data, err)
	}
}

func writeArchive(t *testing.T, path, name, content string) {
	t.Helper()
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zw := gzip.NewWriter(out)
	tw := tar.NewWriter(zw)
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := tw.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tw.Close(), zw.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
}
