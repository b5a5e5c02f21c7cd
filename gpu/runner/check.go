package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/queue"
)

// Exit codes of gatebot check (DESIGN 5.1).
const (
	exitClean    = 0
	exitFindings = 1
)

// defaultConfig stands for a base without a configuration. The head's own must not be read in its place: a change
// could switch off its own gate.
const defaultConfig = "version: 1\n"

// check runs the gate on dir/tree and fills res. An error means that ctx ended.
func (l *leased) check(ctx context.Context, job *queue.Job, dir string, res *queue.Result) error {
	r := l.runner
	cfg := job.Config
	if cfg == nil {
		cfg = []byte(defaultConfig)
	}
	cfgFile, results := filepath.Join(dir, "gate.yaml"), filepath.Join(dir, "out", "results.json")
	if err := os.WriteFile(cfgFile, cfg, 0o600); err != nil {
		r.infra(res, err.Error())
		return nil
	}
	limit := r.limit(job.Timeout)
	args := []string{"check", "--rev", job.Head, "--config", cfgFile, "--results", results,
		"--timeout", (limit + r.Grace + time.Minute).String(), // ours comes first, so that it is known for what it is
		"--progress", progressFile(dir)}
	if job.Base != "" {
		args = append(args, "--base", job.Base)
	}
	if r.RequireGPU {
		args = append(args, "--require-gpu")
	}
	box, err := r.box(dir)
	if err != nil {
		r.infra(res, err.Error())
		return nil
	}
	if box.spec != "" {
		args = append(args, "--confine", box.spec)
	}
	says := l.report(ctx, dir, gateLog)
	end, err := r.runChild(ctx, child{exe: r.Executable, args: args, dir: filepath.Join(dir, "tree"), attempt: dir,
		env: r.childEnv(dir), limit: limit, box: box, tee: says.stream.write})
	says.close(ctx)
	if err != nil && ctx.Err() == nil {
		r.infra(res, err.Error())
		return nil
	}
	if ctx.Err() != nil || (end.signal != "" || end.code > exitFindings) && stopping(ctx) {
		return ctx.Err()
	}
	res.LogTail = end.tail
	if end.why != "" {
		r.infra(res, end.why+lastWords(end.tail))
		return nil
	}
	if end.timedOut {
		res.Class = queue.ClassTimeout
		res.Reason = fmt.Sprintf("time limit of %s reached", limit) + lastWords(end.tail)
		return nil
	}
	judge(res, job.Head, job.Tree, end, results)
	if res.Class == queue.ClassInfra && end.remark != "" {
		res.Reason += " (" + end.remark + ")"
	}
	return nil
}

// limit is the job's, within what this runner allows.
func (r *runner) limit(asked time.Duration) time.Duration {
	if asked <= 0 {
		return r.Timeout
	}
	return min(asked, 4*r.Timeout)
}

// maxResults is far above any results file that a check run can show.
const maxResults = 32 << 20

// judge decides what the child's end means. A verdict needs three things that agree: the exit code, a whole results
// file, and that it is about the commit and tree of the job. Whatever else the child printed counts for nothing.
func judge(res *queue.Result, head, tree string, end ended, file string) {
	infra := func(format string, v ...any) {
		res.Class, res.Reason = queue.ClassInfra, fmt.Sprintf(format, v...)+lastWords(end.tail)
	}
	data, rerr := readLimited(file, maxResults)
	var got *finding.Results
	if rerr == nil {
		got, rerr = finding.Read(data)
	}
	switch {
	case end.signal != "":
		infra("gatebot check was ended by signal %s", end.signal)
	case end.code != exitClean && end.code != exitFindings:
		reason := ""
		if got != nil && len(got.Reasons) > 0 {
			reason = ": " + got.Reasons[0]
		}
		infra("gatebot check could not finish (exit %d)%s", end.code, reason)
	case rerr != nil:
		infra("gatebot check left no results (exit %d): %v", end.code, rerr)
	case got.Commit != head || got.Tree != tree:
		infra("results are about commit %.40q with tree %.40q, not about %s with %s", got.Commit, got.Tree, head, tree)
	case (end.code == exitClean) != (got.Verdict == finding.VerdictPass) || got.Verdict == finding.VerdictError:
		infra("exit code %d and verdict %q contradict each other", end.code, got.Verdict)
	default:
		res.Class, res.Results = queue.ClassVerdict, data
	}
}

func readLimited(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(name))
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(name))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes, limit %d", filepath.Base(name), info.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
