package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// BranchHead is the commit a branch points at, or ErrGone.
func (a *App) BranchHead(ctx context.Context, r Repo, branch string) (string, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return "", err
	}
	ref, _, err := c.Git.GetRef(ctx, r.Owner, r.Name, "heads/"+branch)
	if err != nil {
		return "", classify(fmt.Sprintf("head of %s %s", r, branch), err)
	}
	return ref.GetObject().GetSHA(), nil
}

// PointBranch creates a branch at sha, or moves it there whatever it held before: for branches that are gatebot's own.
func (a *App) PointBranch(ctx context.Context, r Repo, branch, sha string) error {
	c, err := a.installation(r.Installation)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("point %s %s at %.12s", r, branch, sha)
	ref := &gh.Reference{Ref: gh.String("refs/heads/" + branch), Object: &gh.GitObject{SHA: gh.String(sha)}}
	_, _, err = c.Git.CreateRef(ctx, r.Owner, r.Name, ref)
	if err == nil {
		return nil
	}
	if !strings.Contains(strings.ToLower(err.Error()), "already exists") {
		return classify(what, err)
	}
	_, _, err = c.Git.UpdateRef(ctx, r.Owner, r.Name, ref, true)
	return classify(what, err)
}

// BranchCommit is one commit to put on a branch.
type BranchCommit struct {
	Branch       string
	ExpectedHead string            // compare and swap: ErrHeadMoved when the branch is elsewhere
	Headline     string            // first line of the message
	Body         string            // the rest
	Files        map[string][]byte // whole new contents by path
}

// createCommit makes a commit that GitHub signs in the App's name (docs: GraphQL mutation createCommitOnBranch).
const createCommit = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

// CommitOnBranch commits files onto a branch and returns the new commit's id. Author and committer are the App; there
// are no file modes in this API.
func (a *App) CommitOnBranch(ctx context.Context, r Repo, b BranchCommit) (string, error) {
	c, err := a.installation(r.Installation)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("commit on %s %s", r, b.Branch)
	additions := []map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(b.Files)) {
		additions = append(additions, map[string]string{
			"path": path, "contents": base64.StdEncoding.EncodeToString(b.Files[path]),
		})
	}
	message := map[string]string{"headline": b.Headline}
	if b.Body != "" {
		message["body"] = b.Body
	}
	req, err := c.NewRequest("POST", a.graphql, map[string]any{
		"query": createCommit,
		"variables": map[string]any{"input": map[string]any{
			"branch":          map[string]string{"repositoryNameWithOwner": r.String(), "branchName": b.Branch},
			"expectedHeadOid": b.ExpectedHead,
			"message":         message,
			"fileChanges":     map[string]any{"additions": additions},
		}},
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	var answer struct {
		Data struct {
			Create *struct {
				Commit struct {
					OID string `json:"oid"`
				} `json:"commit"`
			} `json:"createCommitOnBranch"`
		} `json:"data"`
		Errors []graphqlError `json:"errors"`
	}
	if _, err := c.Do(ctx, req, &answer); err != nil {
		return "", classify(what, err)
	}
	if len(answer.Errors) > 0 {
		return "", fmt.Errorf("%s: %w", what, graphqlFailure(answer.Errors))
	}
	if answer.Data.Create == nil || answer.Data.Create.Commit.OID == "" {
		return "", fmt.Errorf("%s: GraphQL answered neither a commit nor an error: %w", what, ErrTransient)
	}
	return answer.Data.Create.Commit.OID, nil
}

// graphqlError is one entry of errors; GraphQL answers 200 with these.
type graphqlError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func graphqlFailure(errs []graphqlError) error {
	e := errs[0]
	err := errors.New(e.Message)
	lower := strings.ToLower(e.Message)
	switch {
	case e.Type == "STALE_DATA", strings.Contains(lower, "expected branch to point to"),
		strings.Contains(lower, "expectedheadoid"):
		return fmt.Errorf("%w: %w", ErrHeadMoved, err)
	case e.Type == "RATE_LIMITED", strings.Contains(lower, "rate limit"):
		return &RateLimitedError{After: defaultBackoff, Cause: err}
	case e.Type == "NOT_FOUND":
		return fmt.Errorf("%w: %w", ErrGone, err)
	case e.Type == "FORBIDDEN":
		return fmt.Errorf("%w: %w", ErrDenied, err)
	case strings.Contains(lower, "something went wrong"):
		return fmt.Errorf("%w: %w", ErrTransient, err)
	}
	return err
}
