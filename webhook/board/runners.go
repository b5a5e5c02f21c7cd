package board

import (
	"cmp"
	"slices"
	"time"
)

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
