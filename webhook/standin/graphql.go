package standin

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// commitInput is the input of the mutation createCommitOnBranch.
type commitInput struct {
	Branch struct {
		RepositoryNameWithOwner string
		BranchName              string
		ID                      string
	}
	Message         struct{ Headline, Body string }
	ExpectedHeadOid string
	FileChanges     struct {
		Additions []struct{ Path, Contents string }
		Deletions []struct{ Path string }
	}
	ClientMutationID *string `json:"clientMutationId"`
}

// graphql knows one mutation, createCommitOnBranch, with its input as the variable "input". GraphQL answers 200 to
// everything that it could read; what went wrong is in the list of errors.
func (c *call) graphql() (int, any, error) {
	var in struct {
		Query     string
		Variables struct{ Input *commitInput }
	}
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	switch {
	case !strings.Contains(in.Query, "createCommitOnBranch"):
		return graphqlError("undefinedField", "the stand-in knows the mutation createCommitOnBranch only")
	case !strings.Contains(in.Query, "mutation"):
		return graphqlError("undefinedField", "Field 'createCommitOnBranch' doesn't exist on type 'Query'")
	case in.Variables.Input == nil:
		return graphqlError("INVALID_VARIABLES", "Variable $input of type CreateCommitOnBranchInput! was provided invalid value")
	}
	return c.createCommit(in.Variables.Input)
}

func (c *call) createCommit(in *commitInput) (int, any, error) {
	r := c.token.repo
	if !strings.EqualFold(in.Branch.RepositoryNameWithOwner, r.FullName()) {
		return graphqlError("NOT_FOUND", "Could not resolve to a Repository with the name '"+in.Branch.RepositoryNameWithOwner+"'.")
	}
	branch := strings.TrimPrefix(in.Branch.BranchName, "refs/heads/")
	head := r.Head(branch)
	switch {
	case head == "":
		return graphqlError("NOT_FOUND", "No such branch '"+branch+"'.")
	case in.Message.Headline == "":
		return graphqlError("INVALID_VARIABLES", "message.headline: expected value to not be null")
	case !fullID.MatchString(in.ExpectedHeadOid):
		return graphqlError("INVALID_VARIABLES", "expectedHeadOid: not a GitObjectID")
	case in.ExpectedHeadOid != head:
		return stale(head)
	}
	var changes []Change
	for _, a := range in.FileChanges.Additions {
		data, err := base64.StdEncoding.DecodeString(a.Contents)
		if err != nil {
			return graphqlError("INVALID_VARIABLES", "contents of "+a.Path+": not base64")
		}
		changes = append(changes, Change{Path: a.Path, Content: data})
	}
	for _, d := range in.FileChanges.Deletions {
		changes = append(changes, Change{Path: d.Path, Delete: true})
	}
	c.s.mu.Lock()
	bot := c.s.bot()
	c.s.mu.Unlock()
	message := strings.TrimSpace(in.Message.Headline + "\n\n" + in.Message.Body)
	id, err := c.s.git.commitTree(c.context(), r.Dir(), head, message, author(bot.Login, bot.email(), time.Now()), changes)
	if err != nil {
		return graphqlError("UNPROCESSABLE", err.Error())
	}
	ref := "refs/heads/" + branch
	// The old value makes it a compare-and-swap in the repository itself: two writers cannot both win.
	if _, err := c.s.git.run(c.context(), r.Dir(), nil, "update-ref", ref, id, in.ExpectedHeadOid); err != nil {
		return stale(r.Head(branch))
	}
	if err := r.sync(c.context(), bot); err != nil {
		return 0, nil, err
	}
	commit := object{"oid": id, "url": r.html() + "/commit/" + id, "commitUrl": r.html() + "/commit/" + id, "id": "C_" + id[:12]}
	return http.StatusOK, object{"data": object{"createCommitOnBranch": object{
		"clientMutationId": in.ClientMutationID, "commit": commit, "ref": object{"name": branch, "id": "REF_" + ref},
	}}}, nil
}

func stale(head string) (int, any, error) {
	return graphqlError("STALE_DATA", `Expected branch to point to "`+head+`" but it did not.  Pull and try again.`)
}

func graphqlError(kind, message string) (int, any, error) {
	return http.StatusOK, object{
		"data": object{"createCommitOnBranch": nil},
		"errors": []any{object{
			"type": kind, "path": []string{"createCommitOnBranch"}, "message": message,
			"locations": []any{object{"line": 1, "column": 1}},
		}},
	}, nil
}
