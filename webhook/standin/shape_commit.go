package standin

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// commitInfo is what the shapes say about a commit.
type commitInfo struct {
	id, tree, message     string
	name, email           string
	when                  time.Time
	parents               []string
	added, removed, edits []string
}

func (r *Repository) commit(ctx context.Context, id string) (commitInfo, error) {
	out, err := r.s.git.run(ctx, r.Dir(), nil, "show", "-s", "--format=%H%n%T%n%P%n%an%n%ae%n%aI%n%B", "--end-of-options", id)
	if err != nil {
		return commitInfo{}, err
	}
	f := strings.SplitN(out, "\n", 7)
	if len(f) < 7 {
		return commitInfo{}, fmt.Errorf("stand-in: commit %s: unexpected output of git show", id)
	}
	c := commitInfo{id: f[0], tree: f[1], parents: strings.Fields(f[2]), name: f[3], email: f[4], message: strings.TrimSpace(f[6])}
	if c.when, err = time.Parse(time.RFC3339, f[5]); err != nil {
		return commitInfo{}, fmt.Errorf("stand-in: commit %s: %w", id, err)
	}
	diff, err := r.s.git.run(ctx, r.Dir(), nil, "diff-tree", "--root", "--no-commit-id", "--name-status", "-r", "-z", id)
	if err != nil {
		return commitInfo{}, err
	}
	c.added, c.removed, c.edits = []string{}, []string{}, []string{}
	fields := strings.Split(strings.TrimSuffix(diff, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		switch fields[i] {
		case "A":
			c.added = append(c.added, fields[i+1])
		case "D":
			c.removed = append(c.removed, fields[i+1])
		default:
			c.edits = append(c.edits, fields[i+1])
		}
	}
	return c, nil
}

func (c *commitInfo) person() object { return object{"name": c.name, "email": c.email} }

// pushShape is a commit in the payload of a push.
func (r *Repository) pushShape(c commitInfo) object {
	return object{
		"id": c.id, "tree_id": c.tree, "distinct": true, "message": c.message, "timestamp": stamp(c.when),
		"url": r.html() + "/commit/" + c.id, "author": c.person(), "committer": c.person(),
		"added": c.added, "removed": c.removed, "modified": c.edits,
	}
}

// shortShape is a commit as check suites and merge groups have it.
func (c *commitInfo) shortShape() object {
	return object{
		"id": c.id, "tree_id": c.tree, "message": c.message, "timestamp": stamp(c.when),
		"author": c.person(), "committer": c.person(),
	}
}

// commitShape is the API's commit.
func (r *Repository) commitShape(c commitInfo) object {
	when := c.person()
	when["date"] = stamp(c.when)
	parents := []any{}
	for _, p := range c.parents {
		parents = append(parents, object{"sha": p, "url": r.api() + "/commits/" + p, "html_url": r.html() + "/commit/" + p})
	}
	return object{
		"url": r.api() + "/commits/" + c.id, "sha": c.id, "node_id": "C_" + c.id[:12], "html_url": r.html() + "/commit/" + c.id,
		"comments_url": r.api() + "/commits/" + c.id + "/comments",
		"commit": object{
			"url": r.api() + "/git/commits/" + c.id, "author": when, "committer": when, "message": c.message,
			"comment_count": 0, "tree": object{"sha": c.tree, "url": r.api() + "/git/trees/" + c.tree},
			"verification": object{
				"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil,
			},
		},
		"author": nil, "committer": nil, "parents": parents,
	}
}
