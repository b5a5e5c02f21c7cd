package standin

import (
	"context"
	"fmt"
	"strings"
)

// side is head or base of a pull request.
func (r *Repository) side(label, ref, sha string) object {
	return object{"label": label, "ref": ref, "sha": sha, "user": r.s.userShape(r.owner), "repo": r.shape()}
}

// pullShape is a pull request as in lists.
func (r *Repository) pullShape(p Pull) object {
	api := fmt.Sprintf("%s/pulls/%d", r.api(), p.Number)
	issue := fmt.Sprintf("%s/issues/%d", r.api(), p.Number)
	html := fmt.Sprintf("%s/pull/%d", r.html(), p.Number)
	statuses := r.api() + "/statuses/" + p.HeadSHA
	links := object{}
	for k, v := range map[string]string{
		"self": api, "html": html, "issue": issue, "comments": issue + "/comments", "review_comments": api + "/comments",
		"review_comment": r.api() + "/pulls/comments{/number}", "commits": api + "/commits", "statuses": statuses,
	} {
		links[k] = object{"href": v}
	}
	o := object{
		"url": api, "id": p.ID, "node_id": nodeID("PR", p.ID), "html_url": html, "diff_url": html + ".diff",
		"patch_url": html + ".patch", "issue_url": issue, "number": p.Number, "state": p.State, "locked": false,
		"title": p.Title, "user": r.s.userShape(p.User), "body": nullable(p.Body), "created_at": stamp(p.Created),
		"updated_at": stamp(p.Updated), "closed_at": stamp(p.Closed), "merged_at": nil, "merge_commit_sha": nullable(p.MergeSHA),
		"assignee": nil, "assignees": []any{}, "requested_reviewers": []any{}, "requested_teams": []any{}, "labels": []any{},
		"milestone": nil, "draft": p.Draft, "commits_url": api + "/commits", "review_comments_url": api + "/comments",
		"review_comment_url": r.api() + "/pulls/comments{/number}", "comments_url": issue + "/comments",
		"statuses_url": statuses, "head": p.from.side(p.label(), p.HeadRef, p.HeadSHA),
		"base": r.side(r.owner+":"+p.BaseRef, p.BaseRef, p.BaseSHA), "_links": links, "author_association": "MEMBER",
		"auto_merge": nil, "active_lock_reason": nil,
	}
	if p.Merged {
		o["merged_at"] = stamp(p.Closed)
	}
	return o
}

// pullFullShape is a pull request on its own and in webhook payloads: with the counts and the state of the merge.
func (r *Repository) pullFullShape(ctx context.Context, p Pull) object {
	o := r.pullShape(p)
	added, deleted, files := r.diffCounts(ctx, p.BaseSHA, p.HeadSHA)
	o["merged"], o["merged_by"] = p.Merged, nil
	if p.Merged {
		o["merged_by"] = r.s.userShape(p.User)
	}
	o["mergeable"], o["rebaseable"], o["mergeable_state"] = nil, nil, "unknown" // as GitHub says until it has tried
	o["comments"], o["review_comments"], o["maintainer_can_modify"] = 0, 0, false
	o["commits"], o["additions"], o["deletions"], o["changed_files"] = r.ahead(ctx, p.BaseSHA, p.HeadSHA), added, deleted, files
	return o
}

// ahead counts the commits of head that base does not have; 0 when one of them is not here.
func (r *Repository) ahead(ctx context.Context, base, head string) int {
	out, err := r.s.git.run(ctx, r.Dir(), nil, "rev-list", "--count", base+".."+head)
	if err != nil {
		return 0
	}
	var n int
	_, _ = fmt.Sscan(out, &n)
	return n
}

func (r *Repository) diffCounts(ctx context.Context, base, head string) (added, deleted, files int) {
	out, err := r.s.git.run(ctx, r.Dir(), nil, "diff", "--numstat", base+"..."+head)
	if err != nil {
		return 0, 0, 0
	}
	for line := range strings.Lines(out) {
		var a, d int
		_, _ = fmt.Sscan(line, &a, &d) // binary files say "-": they count as files only
		added, deleted, files = added+a, deleted+d, files+1
	}
	return added, deleted, files
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}
