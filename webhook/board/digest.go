package board

import (
	"context"
	"sync"

	"github.com/gatebot/gatebot/internal/finding"
)

// digest is what the pages need of a results file: those of a large repository have megabytes.
type digest struct {
	Verdict  finding.Verdict
	Open     int // findings that nobody allowed
	Captured int // regions
	Regions  int
	EagerUS  float64 // of one step
	ReplayUS float64
	Findings []found
}

// found is one finding as a list shows it.
type found struct {
	Rule, Name, Message, Path, Function string
	Line                                int
	Severity                            finding.Severity
	Confidence                          finding.Confidence
	Suppressed                          string // by what, "" when it is not
}

// maxFound bounds what is kept of one results file.
const maxFound = 2000

func digestOf(r *finding.Results) *digest {
	d := &digest{Verdict: r.Verdict}
	for i := range r.Findings {
		f := &r.Findings[i]
		known := f.Suppressed == nil || f.Suppressed.By == "baseline"
		if known && f.Confidence != finding.Possible && f.Severity.AtLeast(finding.Warn) {
			d.Open++
		}
		if len(d.Findings) == maxFound {
			continue
		}
		x := found{Rule: f.Rule, Name: f.Name, Message: f.Message, Path: f.Path, Function: f.Function, Line: f.Line, Severity: f.Severity, Confidence: f.Confidence}
		if f.Suppressed != nil {
			x.Suppressed = f.Suppressed.By
		}
		d.Findings = append(d.Findings, x)
	}
	for _, c := range r.Checks {
		switch c.Name {
		case finding.CheckCapture:
			d.Regions = len(c.Regions)
			for _, x := range c.Regions {
				if x.Status == finding.StatusPass {
					d.Captured++
				}
			}
		case finding.CheckSpeed:
			d.EagerUS, d.ReplayUS = c.Metrics["eager_us"], c.Metrics["replay_us"]
		}
	}
	return d
}

// digests remembers those of jobs that are done: results of a job never change without the job's time changing.
type digests struct {
	mu    sync.Mutex
	known map[digestKey]*digest
	size  int // findings that are kept
}

type digestKey struct {
	job  string
	time int64
}

// maxKept bounds the findings in memory, of all jobs together: some tens of MB.
const maxKept = 100_000

// digest of a job that is done, or nil when it has no results.
func (b *Board) digest(ctx context.Context, j *Job) (*digest, error) {
	k := digestKey{j.Key, j.Updated.UnixNano()}
	b.digests.mu.Lock()
	d, there := b.digests.known[k]
	b.digests.mu.Unlock()
	if there {
		return d, nil
	}
	r, err := b.Source.Results(ctx, j.Key)
	if err != nil {
		return nil, err
	}
	if r != nil {
		d = digestOf(r)
	}
	b.digests.mu.Lock()
	defer b.digests.mu.Unlock()
	if b.digests.known == nil || b.digests.size > maxKept {
		b.digests.known, b.digests.size = map[digestKey]*digest{}, 0
	}
	b.digests.known[k] = d
	b.digests.size++
	if d != nil {
		b.digests.size += len(d.Findings)
	}
	return d, nil
}
