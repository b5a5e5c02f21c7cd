package standin

import (
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// pagePath is a page for people: the front page, a pull request, a check run.
var pagePath = regexp.MustCompile(`^/(?:([^/]+)/([^/]+)/(pull|runs)/(\d+))?$`)

var pages = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{{.Title}}</title>
<style>
 body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
 pre { background: #f6f8fa; padding: .8rem; overflow-x: auto; white-space: pre-wrap }
 .failure { color: #cf222e } .success { color: #1a7f37 } .annotation { border-left: 4px solid #cf222e; padding-left: .8rem; margin: 1rem 0 }
 .annotation.warning { border-color: #9a6700 } .annotation.notice { border-color: #57606a }
 code { background: #f6f8fa } td { padding: .2rem .8rem .2rem 0 }
</style>
<h1>{{.Title}}</h1>
{{with .Pulls}}<h2>Pull requests</h2><table>{{range .}}
<tr><td><a href="/{{$.Repo}}/pull/{{.Number}}">#{{.Number}}</a><td>{{.Title}}<td>{{.State}}<td><code>{{.HeadRef}}</code> {{slice .HeadSHA 0 7}}{{end}}
</table>{{end}}
{{with .Runs}}<h2>Check runs</h2><table>{{range .}}
<tr><td><a href="/{{.Repo}}/runs/{{.ID}}">{{.Name}}</a><td>{{slice .HeadSHA 0 7}}<td class="{{.Conclusion}}">{{.Status}} {{.Conclusion}}<td>{{.Title}}{{end}}
</table>{{end}}
{{with .Run}}<p class="{{.Conclusion}}"><b>{{.Status}} {{.Conclusion}}</b> on <code>{{slice .HeadSHA 0 7}}</code></p>
<h2>{{.Title}}</h2><pre>{{.Summary}}</pre>
{{range .Annotations}}<div class="annotation {{.Level}}"><code>{{.Path}}:{{.StartLine}}</code> <b>{{.Title}}</b><pre>{{.Message}}</pre></div>{{end}}
{{with .Text}}<pre>{{.}}</pre>{{end}}{{range .Actions}}<button title="{{.Description}}" disabled>{{.Label}}</button> {{end}}{{end}}
{{with .Body}}<pre>{{.}}</pre>{{end}}
</html>
`))

type pageData struct {
	Title, Repo, Body string
	Pulls             []Pull
	Runs              []CheckRun
	Run               *CheckRun
}

// servePage serves the pages that people look at (gatebot demo --keep) and reports whether the request was for one.
func (s *Server) servePage(w http.ResponseWriter, req *http.Request) bool {
	m := pagePath.FindStringSubmatch(req.URL.Path)
	if m == nil || req.Method != http.MethodGet {
		return false
	}
	data, ok := s.pageData(m[1], m[2], m[3], m[4])
	if !ok {
		http.NotFound(w, req)
		return true
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// A page cut off by a client that has gone is nobody's loss, and the template is fixed.
	_ = pages.Execute(w, data)
	return true
}

func (s *Server) pageData(owner, name, kind, id string) (pageData, bool) {
	s.mu.Lock()
	repo := s.repository(owner, name)
	repos := append([]*Repository{}, s.repos...)
	s.mu.Unlock()
	if kind == "" {
		data := pageData{Title: "GitHub stand-in", Runs: s.CheckRuns()}
		for _, r := range repos {
			data.Repo, data.Pulls = r.FullName(), append(data.Pulls, r.Pulls()...)
		}
		return data, true
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || repo == nil {
		return pageData{}, false
	}
	if kind == "runs" {
		run, of := s.findRun(n)
		return pageData{Title: run.Name, Repo: repo.FullName(), Run: &run}, of == repo
	}
	for _, p := range repo.Pulls() {
		if int64(p.Number) == n {
			return pageData{
				Title: p.Title + " #" + id, Repo: repo.FullName(), Body: strings.TrimSpace(p.Body), Runs: s.CheckRunsFor(p.HeadSHA),
			}, true
		}
	}
	return pageData{}, false
}
