package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/crash"
	"github.com/gatebot/gatebot/webhook/github"
)

const (
	// logBranch is the bot's own branch; the rolling pull request comes from it.
	logBranch = "gatebot/fix-log"
	// logTries is how often a lost compare-and-swap is repeated before the event is.
	logTries = 5
)

// write puts the new document where the mode says.
func (f *fixLog) write(ctx context.Context, doc *logDocument) error {
	if doc.mode == "push" {
		return f.writeDefault(ctx, doc)
	}
	return f.writePull(ctx, doc)
}

// contents is what the files are to hold.
func (d *logDocument) contents() map[string][]byte {
	out := map[string][]byte{}
	for path, f := range d.files {
		out[path] = f.new
	}
	return out
}

// commit makes one commit of the log.
func (f *fixLog) commit(ctx context.Context, doc *logDocument, branch, expected string) error {
	id, err := f.gh.CommitOnBranch(ctx, ghRepo(doc.repo), github.BranchCommit{
		Branch: branch, ExpectedHead: expected, Headline: "Update " + doc.heading,
		Body:  fmt.Sprintf("Observed by comparing findings of each commit up to %.12s with those of its parent.", doc.tip),
		Files: doc.contents(),
	})
	if err != nil {
		return err
	}
	crash.At(crash.FixLogWritten)
	f.log.InfoContext(ctx, "fix log written", "branch", branch, "commit", id)
	return nil
}

// writeDefault commits straight onto the default branch. When that moved, the push that moved it brings us back.
func (f *fixLog) writeDefault(ctx context.Context, doc *logDocument) error {
	err := f.commit(ctx, doc, doc.repo.Default, doc.tip)
	if errors.Is(err, github.ErrHeadMoved) {
		return fmt.Errorf("fix log: %w", err) // tried again from the top: fetch, render, commit
	}
	return err
}

// writePull brings the bot's branch to the new document and sees that its pull request is open.
func (f *fixLog) writePull(ctx context.Context, doc *logDocument) error {
	repo := ghRepo(doc.repo)
	for try := 1; ; try++ {
		expected, same, err := f.branchFor(ctx, doc)
		if err == nil && !same {
			err = f.commit(ctx, doc, logBranch, expected)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, github.ErrHeadMoved) || try == logTries {
			return fmt.Errorf("fix log: %w", err)
		}
		pause(ctx, DefaultBackoff(try)/4)
	}
	n, err := f.gh.EnsurePull(ctx, repo, logBranch, doc.repo.Default, github.PullText{
		Title: "Update " + doc.heading,
		Body: fmt.Sprintf("Rows for commits on `%s` whose capture hazards are gone, found by comparing the findings of each commit "+
			"with those of its parent. The log is in `%s`; change the wording of a row as you like, it will be kept.\n\n"+
			"This pull request is brought up to date by itself until it is merged.\n", doc.repo.Default, doc.path),
	})
	if err != nil {
		return fmt.Errorf("fix log: %w", err)
	}
	f.log.InfoContext(ctx, "fix log: pull request", "pr", n)
	return nil
}

// branchFor makes sure that the bot's branch is there and can be merged, and says which commit it is at. same means
// that it has the document already. A branch whose pull request is open is only ever added to: moved to the default
// branch's head it would hold nothing new for a moment, and GitHub closes such a pull request.
func (f *fixLog) branchFor(ctx context.Context, doc *logDocument) (expected string, same bool, err error) {
	repo := ghRepo(doc.repo)
	head, err := f.gh.BranchHead(ctx, repo, logBranch)
	if errors.Is(err, github.ErrGone) {
		return doc.tip, false, f.gh.PointBranch(ctx, repo, logBranch, doc.tip)
	}
	if err != nil {
		return "", false, err
	}
	if _, err := f.mirrors.Fetch(ctx, doc.repo, "refs/heads/"+logBranch); err != nil {
		return "", false, err
	}
	parted, err := f.mirrors.MergeBase(ctx, doc.dir, head, doc.tip)
	if err != nil {
		return "", false, err
	}
	mergeable, same := parted != "", true
	for path, file := range doc.files {
		there, _, err := f.mirrors.ReadFile(ctx, doc.dir, head, path)
		if err != nil {
			return "", false, err
		}
		var was []byte
		if parted != "" {
			if was, _, err = f.mirrors.ReadFile(ctx, doc.dir, parted, path); err != nil {
				return "", false, err
			}
		}
		mergeable, same = mergeable && bytes.Equal(was, file.old), same && bytes.Equal(there, file.new)
	}
	if mergeable && same {
		return head, true, nil
	}
	open, err := f.gh.HasOpenPull(ctx, repo, logBranch, doc.repo.Default)
	if err != nil {
		return "", false, err
	}
	if open && mergeable {
		return head, false, nil
	}
	return doc.tip, false, f.gh.PointBranch(ctx, repo, logBranch, doc.tip)
}

// scanTime bounds the scan of one commit.
const scanTime = 10 * time.Minute
