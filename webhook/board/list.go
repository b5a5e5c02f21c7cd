package board

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// perPage is how many rows one page lists.
const perPage = 50

// turns are the addresses of the pages before and after, "" where there is none.
type turns struct{ Newer, Older string }

// cut is the part of n rows that a request wants.
func cut(q url.Values, n int) (from, to int, t turns) {
	from, err := strconv.Atoi(q.Get("from"))
	if err != nil || from < 0 || from > n {
		from = 0
	}
	to = min(from+perPage, n)
	turn := func(at int) string {
		v := url.Values{}
		for k := range q {
			v[k] = q[k]
		}
		v.Set("from", strconv.Itoa(at))
		return "?" + v.Encode()
	}
	if from > 0 {
		t.Newer = turn(max(0, from-perPage))
	}
	if to < n {
		t.Older = turn(to)
	}
	return from, to, t
}

type jobsData struct {
	Query, Repo string
	Repos       []string
	Jobs        []Job
	Total       int
	Turns       turns
	Waiting     int
	Running     int
	Now         time.Time
}

func (b *Board) jobs(l *look) (page, error) {
	q := l.r.URL.Query()
	d := jobsData{Query: strings.TrimSpace(q.Get("q")), Repo: q.Get("repo"), Repos: l.names(), Now: b.Now()}
	var found []Job
	for _, j := range l.jobs {
		switch j.State {
		case "waiting":
			d.Waiting++
		case "running":
			d.Running++
		}
		if (d.Repo == "" || fullName(j.Repo) == d.Repo) && matches(&j, d.Query) {
			found = append(found, j)
		}
	}
	d.Total = len(found)
	from, to, turns := cut(q, d.Total)
	d.Jobs, d.Turns = found[from:to], turns
	return page{Name: "jobs", Title: "Checks", Data: d, Live: d.Waiting+d.Running > 0}, nil
}

// matches finds every word of a query in what the page shows of a job. #5 is pull request 5 and no other.
func matches(j *Job, query string) bool {
	return holds(query, j.PR, fullName(j.Repo), j.Check, j.Head, j.Ref, j.Author, j.Title, j.State, j.Conclusion, word(j.Conclusion), j.Runner, j.Pool)
}

// holds reports whether every word of a query is in one of the texts; #5 asks for pull request 5.
func holds(query string, pr int, texts ...string) bool {
	text := strings.ToLower(strings.Join(texts, " "))
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if n, err := strconv.Atoi(strings.TrimPrefix(w, "#")); err == nil && w[0] == '#' {
			if pr != n {
				return false
			}
			continue
		}
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
