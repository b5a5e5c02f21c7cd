package standin

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// CheckRun is a check run. Values handed out are copies.
type CheckRun struct {
	ID          int64
	Repo        string
	Name        string
	HeadSHA     string
	ExternalID  string
	DetailsURL  string
	Status      string
	Conclusion  string
	Started     time.Time
	Completed   time.Time
	Title       string
	Summary     string
	Text        string
	Annotations []Annotation
	Actions     []Action
	Suite       int64
	History     []string // every status and conclusion it ever showed, in order
}

// Annotation is one annotation of a check run.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn *int   `json:"start_column"`
	EndColumn   *int   `json:"end_column"`
	Level       string `json:"annotation_level"`
	Message     string `json:"message"`
	Title       string `json:"title"`
	RawDetails  string `json:"raw_details"`
}

// Action is a button of a completed check run.
type Action struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// suiteKey: there is one check suite per App and commit of a repository.
type suiteKey struct{ repo, sha string }

// jsonRaw passes a stored payload through.
func jsonRaw(b []byte) json.RawMessage { return json.RawMessage(b) }

func (r *CheckRun) clone() CheckRun {
	out := *r
	out.Annotations, out.Actions, out.History = slices.Clone(r.Annotations), slices.Clone(r.Actions), slices.Clone(r.History)
	return out
}

// CheckRuns lists every check run, oldest first.
func (s *Server) CheckRuns() []CheckRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]CheckRun, 0, len(s.runs))
	for _, r := range s.runs {
		out = append(out, r.clone())
	}
	return out
}

// CheckRunsFor lists the check runs of one commit, oldest first.
func (s *Server) CheckRunsFor(sha string) []CheckRun {
	return slices.DeleteFunc(s.CheckRuns(), func(r CheckRun) bool { return r.HeadSHA != sha })
}

// findRun finds a run and its repository; the repository is nil when there is none.
func (s *Server) findRun(id int64) (CheckRun, *Repository) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.ID == id {
			for _, repo := range s.repos {
				if repo.FullName() == r.Repo {
					return r.clone(), repo
				}
			}
		}
	}
	return CheckRun{}, nil
}

// runShape is the API's check run.
func (r *Repository) runShape(run CheckRun) object {
	api := fmt.Sprintf("%s/check-runs/%d", r.api(), run.ID)
	html := fmt.Sprintf("%s/runs/%d", r.html(), run.ID)
	details := run.DetailsURL
	if details == "" {
		details = "https://example.com" // the App's home page
	}
	return object{
		"id": run.ID, "node_id": nodeID("CR", run.ID), "head_sha": run.HeadSHA, "name": run.Name, "external_id": run.ExternalID,
		"url": api, "html_url": html, "details_url": details, "status": run.Status, "conclusion": nullable(run.Conclusion),
		"started_at": stamp(run.Started), "completed_at": stamp(run.Completed), "app": r.s.appShape(),
		"pull_requests": r.runPulls(run.HeadSHA), "check_suite": r.suiteShape(run),
		"output": object{
			"title": nullable(run.Title), "summary": nullable(run.Summary), "text": nullable(run.Text),
			"annotations_count": len(run.Annotations), "annotations_url": api + "/annotations",
		},
	}
}

// suiteShape is the check suite as webhook payloads have it; the API shows its id only, and allows the rest.
func (r *Repository) suiteShape(run CheckRun) object {
	return object{
		"id": run.Suite, "node_id": nodeID("CS", run.Suite), "head_branch": nil, "head_sha": run.HeadSHA,
		"status": run.Status, "conclusion": nullable(run.Conclusion), "url": fmt.Sprintf("%s/check-suites/%d", r.api(), run.Suite),
		"before": nil, "after": run.HeadSHA, "pull_requests": r.runPulls(run.HeadSHA), "app": r.s.appShape(),
		"created_at": stamp(run.Started), "updated_at": stamp(run.Started),
	}
}

// runPulls are the pull requests that GitHub names with a check run: open ones of the repository itself, whose head is
// the run's commit. A fork's are never named.
func (r *Repository) runPulls(sha string) []any {
	out := []any{}
	for _, p := range r.Pulls() {
		if p.State != "open" || p.HeadSHA != sha || p.from != r {
			continue
		}
		repo := object{"id": r.id, "name": r.name, "url": r.api()}
		out = append(out, object{
			"id": p.ID, "number": p.Number, "url": fmt.Sprintf("%s/pulls/%d", r.api(), p.Number),
			"head": object{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": repo},
			"base": object{"ref": p.BaseRef, "sha": p.BaseSHA, "repo": repo},
		})
	}
	return out
}
