package webhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook/github"
)

// proven is a verdict that stands for every commit with the same tree: a merge group and the default branch have the
// tree of an up-to-date pull request, and the GPU need not look at it again.
type proven struct {
	Key      string          `json:"key"` // whose record
	Head     string          `json:"head"`
	BaseTree string          `json:"base_tree"`
	Clean    bool            `json:"clean"` // nothing found at all: true against any base
	Trusted  bool            `json:"trusted"`
	Env      environment     `json:"env"`
	Verdict  finding.Verdict `json:"verdict"`
	Results  string          `json:"results"` // blob
	At       time.Time       `json:"at"`
}

// environment is what a verdict depends on besides the tree and the configuration.
type environment struct {
	Version string    `json:"version"`
	Rules   string    `json:"rules"`
	Device  string    `json:"device,omitempty"`
	Driver  string    `json:"driver,omitempty"`
	CUDA    string    `json:"cuda,omitempty"`
	Seen    time.Time `json:"seen"`
}

func (e environment) same(o environment) bool {
	e.Seen, o.Seen = time.Time{}, time.Time{}
	return e == o
}

func environmentOf(r *finding.Results) environment {
	e := environment{Version: r.Tool.Version, Rules: r.Tool.Rules}
	if d := r.Device; d != nil {
		e.Device, e.Driver, e.CUDA = d.Name+" "+d.ComputeCapability, d.Driver, d.CUDA
	}
	return e
}

// poolState is what the runners of a pool looked like when they last sent a verdict.
type poolState struct {
	Runners map[string]environment `json:"runners"`
}

// poolFor is how long a runner counts that has sent nothing since.
const poolFor = 14 * 24 * time.Hour

func poolKey(pool string) string { return "pool/" + pool }

// provenKey names a verdict by content. The day is part of it because suppressions expire by day.
func (p *planner) provenKey(r *Record, job *queue.Job) string {
	h := sha256.New()
	for _, s := range []string{strconv.FormatInt(r.Repo.ID, 10), job.Tree, string(job.Config), strconv.FormatBool(job.Config == nil), r.Check, r.Pool,
		p.now().UTC().Format(time.DateOnly)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s) // a hash never fails
	}
	return "proven/" + hex.EncodeToString(h.Sum(nil)[:16])
}

// reuse is the outcome of an earlier job on the same tree, or nil. A re-run that somebody asked for looks again, a verdict
// about a stranger's code is good for no other, and the runners must be what they were.
func (p *planner) reuse(ctx context.Context, r *Record, job *queue.Job) (*Outcome, error) {
	if !p.policy.Reuse || r.Round > 1 || r.Untrusted {
		return nil, nil
	}
	var v proven
	if _, err := p.read(ctx, queue.BucketHeads, p.provenKey(r, job), &v); err != nil {
		return nil, ignoreMissing(err)
	}
	if !v.Trusted || v.Key == r.Key || v.BaseTree != r.BaseTree && !v.Clean {
		return nil, nil
	}
	var pool poolState
	if _, err := p.read(ctx, queue.BucketHeads, poolKey(r.Pool), &pool); err != nil {
		return nil, ignoreMissing(err)
	}
	for _, e := range pool.Runners {
		if p.now().Sub(e.Seen) < poolFor && !e.same(v.Env) {
			return nil, nil
		}
	}
	res, err := p.storedResults(ctx, v.Results)
	if err != nil || res == nil {
		return nil, err
	}
	o, reason := p.render(r, job, res, fmt.Sprintf("the check of %.12s", v.Head))
	if o == nil {
		p.log.WarnContext(ctx, "verdict not reused", "key", r.Key, "reason", reason)
		return nil, nil
	}
	o.Output.Summary = fmt.Sprintf("The same tree was checked as `%.12s` on %s with the same configuration, rules, device and driver: "+
		"this is that verdict.\n\n", v.Head, v.At.Format(time.RFC3339)) + o.Output.Summary
	o.reused = v.Head
	p.metrics.add("gatebot_verdicts_reused_total", 1)
	p.log.InfoContext(ctx, "verdict reused", "key", r.Key, "head", r.Head, "from", v.Head)
	return o, nil
}

// storedResults reads a results file back; nil when it is gone by now.
func (p *planner) storedResults(ctx context.Context, name string) (*finding.Results, error) {
	b, err := p.q.GetBlob(ctx, name)
	if errors.Is(err, queue.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(b, 64<<20))
	if err = errors.Join(err, b.Close()); err != nil {
		return nil, err
	}
	return finding.Read(data)
}

// resultsName is where the results of a round are kept, for its page and for reuse.
func resultsName(r *Record) string { return fmt.Sprintf("results/%s/%d", r.Key, r.Attempt) }

// remember stores a verdict's results, what its runner looked like, and the verdict for others to use. Losing any of it
// costs one more job or a page, so it is no reason to hold the verdict back.
func (p *planner) remember(ctx context.Context, r *Record, runner string, res *finding.Results, data []byte) {
	note := func(err error) {
		if err != nil {
			p.log.WarnContext(ctx, "results not kept", "key", r.Key, "error", err)
		}
	}
	name := resultsName(r)
	if err := p.q.PutBlob(ctx, name, bytes.NewReader(data)); err != nil {
		note(err)
		return
	}
	env := environmentOf(res)
	env.Seen = p.now().UTC()
	note(change(ctx, &p.store, queue.BucketHeads, poolKey(r.Pool), func(s *poolState) bool {
		if s.Runners == nil {
			s.Runners = map[string]environment{}
		}
		s.Runners[runner] = env
		return true
	}))
	if r.Untrusted || r.ApprovedBy != nil || !p.policy.Reuse {
		return
	}
	v := proven{
		Key: r.Key, Head: r.Head, BaseTree: r.BaseTree, Trusted: true, Env: env, Verdict: res.Verdict, Results: name, At: p.now().UTC(),
		Clean: res.Verdict == finding.VerdictPass && len(res.Findings) == 0,
	}
	note(change(ctx, &p.store, queue.BucketHeads, p.provenKey(r, r.Job), func(was *proven) bool { *was = v; return true }))
}

// render turns a verdict into an outcome. The results must be about the job's tree.
func (p *planner) render(r *Record, job *queue.Job, results *finding.Results, runner string) (*Outcome, string) {
	o := Outcome{Conclusion: github.Success, checks: results.Checks}
	switch results.Verdict {
	case finding.VerdictPass:
	case finding.VerdictFail:
		o.Conclusion = github.Failure
	default:
		return nil, "no verdict: " + joinReasons(results.Reasons)
	}
	face := github.Render(results, github.Context{Head: r.Head, Base: job.Base, PR: r.PR, Attempt: r.Infra + 1, Runner: runner})
	o.Output, o.Annotations = face.Output, face.Annotations
	p.adorn(r, &o)
	return &o, ""
}

// adorn adds what the results do not know: who let the commit run, and that it changes the gate.
func (p *planner) adorn(r *Record, o *Outcome) {
	var more string
	if a := r.ApprovedBy; a != nil {
		more += fmt.Sprintf("Approved to run by **%s** (%s) at %s", fenced(a.By), a.Permission, a.At.Format(time.RFC3339))
		if a.Comment != 0 {
			more += fmt.Sprintf(" in comment %d", a.Comment)
		}
		more += ".\n\n"
	}
	for _, path := range r.GateChanged {
		more += fmt.Sprintf("**Gate changed**: this change edits `%s`. The gate of the base was used here; the new one counts for what comes after.\n\n", fenced(path))
		o.Annotations = append([]github.Annotation{gateChanged(path)}, o.Annotations...)
	}
	o.Output.Summary = more + o.Output.Summary
}

func gateChanged(path string) github.Annotation {
	return github.Annotation{
		Path: path, StartLine: 1, EndLine: 1, Level: github.LevelWarning, Title: "gate changed",
		Message: "This file defines the gate. The version of the base commit was used to check this change; this one counts once it is merged.",
	}
}
