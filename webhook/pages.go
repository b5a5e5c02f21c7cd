package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// pages shows a job to whoever has its address. The address holds a code that cannot be guessed: findings quote source,
// and GitHub shows the address only to those who may see the check run.
type pages struct {
	base  string // public URL of the server, without a final slash
	key   []byte
	rules []finding.RuleInfo // for SARIF
}

const pageKey = "page-key"

// newPages reads the secret behind the addresses, or makes it: it lives in the store, so that addresses outlive a process
// and are the same for several servers.
func newPages(ctx context.Context, s *store, base string, rules []finding.RuleInfo) (*pages, error) {
	if base == "" {
		return nil, nil
	}
	var secret struct {
		Key []byte `json:"key"`
	}
	err := change(ctx, s, queue.BucketHeads, pageKey, func(v *struct {
		Key []byte `json:"key"`
	}) bool {
		fresh := len(v.Key) == 0
		if fresh {
			v.Key = make([]byte, 32)
			_, _ = rand.Read(v.Key) // never fails (crypto/rand)
		}
		secret.Key = v.Key
		return fresh
	})
	if err != nil {
		return nil, fmt.Errorf("server: details pages: %w", err)
	}
	return &pages{base: strings.TrimSuffix(base, "/"), key: secret.Key, rules: rules}, nil
}

func (g *pages) code(key string) string {
	mac := hmac.New(sha256.New, g.key)
	_, _ = io.WriteString(mac, key) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// details is the address of a record's page, empty when the server has no public URL.
func (p *planner) details(r *Record) string {
	if p.pages == nil {
		return ""
	}
	return p.pages.base + "/jobs/" + r.Key + "/" + p.pages.code(r.Key)
}

func (p *planner) pageRoutes(mux *http.ServeMux) {
	if p.pages == nil {
		return
	}
	mux.HandleFunc("GET /jobs/{key}/{code}", p.page(p.showJob))
	mux.HandleFunc("GET /jobs/{key}/{code}/results.json", p.page(p.showResults))
	mux.HandleFunc("GET /jobs/{key}/{code}/results.sarif", p.page(p.showSARIF))
}

// page checks the code and loads the record; what is wrong is 404, whatever it is.
func (p *planner) page(show func(w http.ResponseWriter, r *http.Request, rec *Record) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
		defer cancel()
		key := r.PathValue("key")
		if !hmac.Equal([]byte(p.pages.code(key)), []byte(r.PathValue("code"))) {
			http.NotFound(w, r)
			return
		}
		rec, _, err := p.load(ctx, key)
		if err == nil {
			h := w.Header()
			h.Set("Cache-Control", "private, no-cache")
			h.Set("Referrer-Policy", "no-referrer") // the address is the secret
			h.Set("X-Robots-Tag", "noindex")
			h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
			h.Set("X-Content-Type-Options", "nosniff")
			err = show(w, r.WithContext(ctx), rec)
		}
		switch {
		case errors.Is(err, queue.ErrNotFound):
			http.NotFound(w, r)
		case err != nil:
			p.log.WarnContext(ctx, "page", "key", key, "error", err)
			http.Error(w, "gatebot: the store cannot be read", http.StatusServiceUnavailable)
		}
	}
}

var jobPage = template.Must(template.New("job").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>gatebot {{printf "%.12s" .Record.Head}}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}
pre{background:#f6f8fa;padding:.8rem;overflow-x:auto;white-space:pre-wrap}</style>
<h1>{{.Record.Check}} on {{.Record.Repo.Owner}}/{{.Record.Repo.Name}} {{printf "%.12s" .Record.Head}}</h1>
<table>
<tr><th>State<td>{{.Record.State}}{{with .Record.Final}}: {{.Conclusion}}, {{.Title}}{{end}}
{{if .Record.PR}}<tr><th>Pull request<td>#{{.Record.PR}} by {{.Record.Author}}{{end}}
<tr><th>Asked for by<td>{{.Record.Trigger}} {{.Record.Delivery}} at {{.Record.Created}}
<tr><th>Pool, runner<td>{{.Record.Pool}} {{.Record.Runner}}
<tr><th>Round, attempt<td>{{.Record.Round}}, {{.Record.Attempt}} ({{.Record.Infra}} spoilt by infrastructure)
{{with .Record.ApprovedBy}}<tr><th>Approved by<td>{{.By}} ({{.Permission}}) at {{.At}}{{end}}
{{with .Record.GateChanged}}<tr><th>Changes the gate<td>{{range .}}{{.}} {{end}}{{end}}
{{with .Record.Reused}}<tr><th>Verdict of<td>{{.}} (same tree){{end}}
{{with .Place}}<tr><th>Place in the queue<td>{{.}}{{end}}
<tr><th>Last change<td>{{.Record.Updated}}
</table>
</html>
`))

func (p *planner) showJob(w http.ResponseWriter, r *http.Request, rec *Record) error {
	res, err := p.storedResults(r.Context(), resultsName(rec))
	if err != nil {
		return err
	}
	if res != nil && rec.State == StateDone {
		return p.showReport(w, rec, res)
	}
	place := ""
	if rec.State == StateQueued && !rec.InProgress {
		place = p.placeOf(rec)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return jobPage.Execute(w, struct {
		Record *Record
		Place  string
	}{rec, place})
}

func (p *planner) showResults(w http.ResponseWriter, r *http.Request, rec *Record) error {
	b, err := p.q.GetBlob(r.Context(), resultsName(rec))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err = io.Copy(w, b)
	return errors.Join(err, b.Close())
}

func (p *planner) showSARIF(w http.ResponseWriter, r *http.Request, rec *Record) error {
	res, err := p.storedResults(r.Context(), resultsName(rec))
	if err == nil && res == nil {
		err = queue.ErrNotFound
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/sarif+json; charset=utf-8")
	return finding.WriteSARIF(w, res, p.pages.rules)
}
