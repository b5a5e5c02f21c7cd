// Package outside fetches test material that others publish: GitHub's OpenAPI description of its API and its example
// webhook payloads, and the JSON schema of SARIF, from npm. Nothing of it is committed; it is fetched once into a cache, each file checked against
// the hash written here, and never changes under a test.
//
// Tests call [OpenAPI] and [WebhookExamples]. Without a network they are skipped, and say so; with
// GATEBOT_REQUIRE_OUTSIDE=1, as in CI, they fail instead: a check that silently did not run is no check.
package outside

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// File is one file of a published npm package.
type File struct {
	Package string // with its exact version
	Name    string // inside the package's archive
	Cache   string // name in the cache
	SHA256  string // of the file
}

// The material. The hashes were taken when the versions were chosen; npm never changes a published version.
var (
	openAPI = File{
		Package: "@octokit/openapi@23.0.2", Name: "package/generated/api.github.com.json", Cache: "octokit-openapi-23.0.2.json",
		SHA256: "829b4bebb19a53133289f7b0bc819f4f1118115821db2ca9f25e9ee995a7da2a",
	}
	webhookExamples = File{
		Package: "@octokit/webhooks-examples@7.6.1", Name: "package/api.github.com/index.json",
		Cache: "octokit-webhooks-examples-7.6.1.json", SHA256: "09d8f0c617876ae9dad22e26fea5510bfcaad50ee7e602659f6db25b87b25815",
	}
	// Release candidate 5 of the schema, the last before the standard, and the one that npm has (MIT).
	sarifSchema = File{
		Package: "@microsoft/jest-sarif@1.0.0-beta.0", Name: "package/lib/schemas/sarif-2.1.0-rtm.5.json",
		Cache: "sarif-2.1.0-rtm.5.json", SHA256: "2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8",
	}
)

// ErrUnavailable means that the material is not in the cache and could not be fetched.
var ErrUnavailable = errors.New("outside material is not available")

// errHash means that something else than the pinned file came out.
var errHash = errors.New("hash differs from the pinned one")

// read returns a file from the cache, fetching it first when it is not there.
func (f File) read(ctx context.Context, dir string) ([]byte, error) {
	path := filepath.Join(dir, f.Cache)
	data, err := os.ReadFile(path)
	if err == nil && f.verify(data) == nil {
		return data, nil
	}
	// Not there, or cut off by an earlier kill: fetch.
	if data, err = f.fetch(ctx); err != nil {
		return nil, err
	}
	if err := f.verify(data); err != nil {
		return nil, err
	}
	return data, store(path, data)
}

func (f File) verify(data []byte) error {
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
		return fmt.Errorf("%s of %s: %w: %s", f.Name, f.Package, errHash, got)
	}
	return nil
}

// store writes atomically: several test processes may fetch at once.
func store(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // gone already when the rename worked
	if _, err := bytes.NewReader(data).WriteTo(tmp); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// cacheDir is .cache/outside at the root of the checkout (ignored by git), or the user's cache where the tests run
// from outside a checkout.
func cacheDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "outside"), nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(user, "gatebot-outside"), nil
}
