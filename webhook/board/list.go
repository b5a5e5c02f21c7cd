package board

import (
	"cmp"
	"net/url"
	"slices"
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

type runnersData struct {
	Runners []runnerRow
	Pools   []Pool
	Now     time.Time
}

type runnerRow struct {
	Runner
	Shown *Job // the job at hand, when the visitor may see it
	Busy  bool
}

func (b *Board) runners(l *look) (page, error) {
	all, err := b.Source.Runners(l)
	if err != nil {
		return page{}, err
	}
	every, err := b.Source.Jobs(l) // how long a queue is says nothing of what is in it
	if err != nil {
		return page{}, err
	}
	slices.SortFunc(all, func(x, y Runner) int { return cmp.Compare(x.Name, y.Name) })
	d := runnersData{Pools: pools(every, all), Now: b.Now()}
	for _, r := range all {
		row := runnerRow{Runner: r, Busy: r.Job != ""}
		if i := slices.IndexFunc(l.jobs, func(j Job) bool { return j.Key == r.Job }); i >= 0 {
			row.Shown = &l.jobs[i]
		}
		if row.Shown == nil && !l.visitor.All() {
			row.Job = ""
		}
		d.Runners = append(d.Runners, row)
	}
	return page{Name: "runners", Title: "Runners", Data: d, Live: true}, nil
}

// pools counts what waits and what runs, for every pool that has jobs or runners.
func pools(jobs []Job, runners []Runner) []Pool {
	at := map[string]*Pool{}
	pool := func(name string) *Pool {
		if at[name] == nil {
			at[name] = &Pool{Name: name}
		}
		return at[name]
	}
	for _, r := range runners {
		for _, p := range r.Pools {
			pool(p)
		}
	}
	for _, j := range jobs {
		switch {
		case j.State == "waiting" && j.Pool != "":
			p := pool(j.Pool)
			if p.Waiting++; p.Oldest.IsZero() || j.Created.Before(p.Oldest) {
				p.Oldest = j.Created
			}
		case j.State == "running" && j.Pool != "":
			pool(j.Pool).Running++
		}
	}
	var out []Pool
	for _, p := range at {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
