package webhook

import (
	"errors"
	"strings"
)

type pushEvent struct {
	common
	Ref     string `json:"ref"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Deleted bool   `json:"deleted"`
}

// queueBranches is where GitHub keeps the temporary branches of merge groups, whose own event asks for the verdict.
const queueBranches = "refs/heads/gh-readonly-queue/"

// parsePush looks at the default branch only: every other commit is checked through its pull request or merge group.
func parsePush(payload []byte) (Trigger, error) {
	var e pushEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	branch, isBranch := strings.CutPrefix(e.Ref, "refs/heads/")
	switch {
	case e.Ref == "":
		return Trigger{}, errors.New("ref is missing")
	case !isBranch:
		return nothing("", "%s is not a branch", e.Ref)
	case strings.HasPrefix(e.Ref, queueBranches):
		return nothing("", "branch of a merge group: its own event asks for the check")
	case e.Deleted || strings.Trim(e.After, "0") == "":
		return nothing("", "%s was deleted", e.Ref)
	case e.Repository.DefaultBranch == "":
		return Trigger{}, errors.New("repository.default_branch is missing")
	case branch != e.Repository.DefaultBranch:
		return nothing("", "%s is not the default branch", e.Ref)
	}
	t := e.trigger(KindLand)
	t.Head, t.HeadRef, t.BaseRef = e.After, e.Ref, branch
	if strings.Trim(e.Before, "0") != "" { // all zeros: the branch is new
		t.Base = e.Before
	}
	return t, nil
}
