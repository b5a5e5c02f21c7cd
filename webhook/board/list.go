package board

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// perPage is how many jobs one page lists.
const perPage = 50

type jobsData struct {
	Query, Repo string
	Repos       []string
	Jobs        []Job
	From, Total int
	Newer       string // query of the page before, "" when there is none
	Older       string
	Waiting     int
	Running     int
	Now         time.Time
}

func (b *board) jobs(ctx context.Context, r *http.Request) (page, error) {
	all, err := b.Source.Jobs(ctx)
	if err != nil {
		return page{}, err
	}
	q := r.URL.Query()
	d := jobsData{Query: strings.TrimSpace(q.Get("q")), Repo: q.Get("repo"), Repos: repos(all), Now: b.Now()}
	var found []Job
	for _, j := range all {
		switch j.State {
		case "waiting":
			d.Waiting++
		case "running":
			d.Running++
		}
		if (d.Repo == "" || j.Repo == d.Repo) && matches(&j, d.Query) {
			found = append(found, j)
		}
	}
	d.Total = len(found)
	from, err := strconv.Atoi(q.Get("from"))
	if err != nil || from < 0 || from > len(found) {
		from = 0
	}
	d.From = from
	d.Jobs = found[from:min(from+perPage, len(found))]
	turn := func(to int) string {
		v := r.URL.Query()
		v.Set("from", strconv.Itoa(to))
		return "?" + v.Encode()
	}
	if from > 0 {
		d.Newer = turn(max(0, from-perPage))
	}
	if from+perPage < len(found) {
		d.Older = turn(from + perPage)
	}
	return page{Name: "jobs", Title: "Checks", Data: d, Live: d.Waiting+d.Running > 0}, nil
}

// matches finds every word of a query in what the page shows of a job. #5 is pull request 5 and no other.
func matches(j *Job, query string) bool {
	text := strings.ToLower(strings.Join([]string{j.Repo, j.Check, j.Head, j.Ref, j.Author, j.Title, j.State, j.Conclusion, j.Runner}, " "))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if n, err := strconv.Atoi(strings.TrimPrefix(word, "#")); err == nil && word[0] == '#' {
			if j.PR != n {
				return false
			}
			continue
		}
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func repos(jobs []Job) []string {
	var out []string
	for _, j := range jobs {
		out = append(out, j.Repo)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type runnersData struct {
	Runners []Runner
	Now     time.Time
}

func (b *board) runners(ctx context.Context, _ *http.Request) (page, error) {
	all, err := b.Source.Runners(ctx)
	if err != nil {
		return page{}, err
	}
	slices.SortFunc(all, func(x, y Runner) int { return strings.Compare(x.Name, y.Name) })
	return page{Name: "runners", Title: "Runners", Data: runnersData{all, b.Now()}, Live: true}, nil
}
