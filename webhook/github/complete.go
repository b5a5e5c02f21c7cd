package github

import (
	"context"
	"fmt"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Completion is how a run ends.
type Completion struct {
	Conclusion  Conclusion
	Output      Output
	Annotations []Annotation // at most MaxAnnotations are sent, in this order
	Actions     []Action
}

// CompleteRun ends a run: conclusion, output and the first 50 annotations go in one request, so that no later failure
// can leave the gate open; AppendAnnotations sends the others. A run that is already completed with this conclusion
// is left alone, which makes both repeatable.
func (a *App) CompleteRun(ctx context.Context, r Repo, ref RunRef, c Completion) error {
	if a.opts.Token != "" {
		return a.completeStatus(ctx, r, ref, c)
	}
	if err := checkActions(c.Actions); err != nil {
		return err
	}
	run, err := a.GetRun(ctx, r, ref.ID)
	if err != nil {
		return err
	}
	if run.Status == StatusCompleted && run.Conclusion == string(c.Conclusion) {
		return nil
	}
	opts := gh.UpdateCheckRunOptions{
		Name: ref.Name, Status: gh.String(StatusCompleted), Conclusion: gh.String(string(c.Conclusion)),
		CompletedAt: &gh.Timestamp{Time: time.Now().UTC()},
		// Annotations are append-only: a run that has some already gets the next ones.
		Output: output(c.Output, chunk(c.Annotations, run.Annotations)),
	}
	for _, action := range c.Actions {
		opts.Actions = append(opts.Actions, &gh.CheckRunAction{
			Label: action.Label, Description: action.Description, Identifier: action.Identifier,
		})
	}
	return a.patch(ctx, r, ref.ID, opts)
}

// AppendAnnotations sends what GitHub does not have yet, 50 at a time, going by its own count: after a crash or an
// ambiguous timeout it resumes where the run stands and repeats none.
func (a *App) AppendAnnotations(ctx context.Context, r Repo, ref RunRef, c Completion) error {
	want := min(len(c.Annotations), MaxAnnotations)
	if a.opts.Token != "" {
		return nil
	}
	if want <= MaxAnnotationsPerRequest {
		return nil
	}
	for last := -1; ; {
		run, err := a.GetRun(ctx, r, ref.ID)
		if err != nil {
			return err
		}
		if run.Annotations >= want {
			return nil
		}
		if run.Annotations <= last {
			return fmt.Errorf("annotations of check run %d of %s: GitHub still counts %d after another request: %w",
				ref.ID, r, run.Annotations, ErrTransient)
		}
		last = run.Annotations
		opts := gh.UpdateCheckRunOptions{Name: ref.Name, Output: output(c.Output, chunk(c.Annotations, run.Annotations))}
		if err := a.patch(ctx, r, ref.ID, opts); err != nil {
			return err
		}
	}
}

// chunk is the next request's share when GitHub already has the first `have`.
func chunk(as []Annotation, have int) []Annotation {
	as = as[:min(len(as), MaxAnnotations)]
	as = as[min(have, len(as)):]
	return as[:min(len(as), MaxAnnotationsPerRequest)]
}

// output applies the limits. Title and summary are required by GitHub whenever output is sent at all.
func output(o Output, as []Annotation) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{
		Title:   gh.String(oneLine(o.Title, MaxOutputTitle)),
		Summary: gh.String(Truncate(o.Summary, MaxText, TruncationNote)),
	}
	if o.Text != "" {
		out.Text = gh.String(Truncate(o.Text, MaxText, TruncationNote))
	}
	for _, a := range as {
		out.Annotations = append(out.Annotations, annotation(a))
	}
	return out
}

func annotation(a Annotation) *gh.CheckRunAnnotation {
	start := max(a.StartLine, 1)
	end := max(a.EndLine, start)
	out := &gh.CheckRunAnnotation{
		Path: gh.String(a.Path), StartLine: gh.Int(start), EndLine: gh.Int(end),
		AnnotationLevel: gh.String(a.Level),
		Message:         gh.String(Truncate(a.Message, MaxAnnotationText, "\n… (cut)")),
	}
	if a.Title != "" {
		out.Title = gh.String(oneLine(a.Title, MaxAnnotationTitle))
	}
	if a.RawDetails != "" {
		out.RawDetails = gh.String(Truncate(a.RawDetails, MaxAnnotationText, "\n… (cut)"))
	}
	// GitHub refuses columns on a range of several lines.
	if start == end && a.StartColumn > 0 && a.EndColumn >= a.StartColumn {
		out.StartColumn, out.EndColumn = gh.Int(a.StartColumn), gh.Int(a.EndColumn)
	}
	return out
}
