package standin

import (
	"fmt"
	"time"
)

// object is a JSON object on its way out.
type object = map[string]any

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func nodeID(kind string, id int64) string { return fmt.Sprintf("%s_%d", kind, id) }

// userShape is GitHub's "simple user".
func (s *Server) userShape(login string) object {
	s.mu.Lock()
	u, ok := s.users[login]
	s.mu.Unlock()
	kind := "User"
	switch {
	case !ok: // the owner of a repository
		kind, u = "Organization", &User{ID: 1, Login: login}
	case u.bot:
		kind = "Bot"
	}
	url := s.URL() + "/users/" + login
	return object{
		"login": login, "id": u.ID, "node_id": nodeID("U", u.ID), "avatar_url": s.URL() + "/avatars/" + fmt.Sprint(u.ID),
		"gravatar_id": "", "url": url, "html_url": s.URL() + "/" + login, "followers_url": url + "/followers",
		"following_url": url + "/following{/other_user}", "gists_url": url + "/gists{/gist_id}",
		"starred_url": url + "/starred{/owner}{/repo}", "subscriptions_url": url + "/subscriptions",
		"organizations_url": url + "/orgs", "repos_url": url + "/repos", "events_url": url + "/events{/privacy}",
		"received_events_url": url + "/received_events", "type": kind, "site_admin": false,
	}
}

// repoURLs are the addresses that hang below a repository's own.
var repoURLs = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
	"comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
	"contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
	"downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks", "git_commits_url": "/git/commits{/sha}",
	"git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}", "hooks_url": "/hooks",
	"issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}",
	"languages_url": "/languages", "merges_url": "/merges", "milestones_url": "/milestones{/number}",
	"notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
	"releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
	"trees_url": "/git/trees{/sha}",
}

func (r *Repository) api() string  { return r.s.URL() + "/repos/" + r.FullName() }
func (r *Repository) html() string { return r.s.URL() + "/" + r.FullName() }

// shape is the repository as in webhook payloads and pull requests.
func (r *Repository) shape() object {
	o := object{
		"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.FullName(), "private": false,
		"owner": r.s.userShape(r.owner), "html_url": r.html(), "description": nil, "fork": false, "url": r.api(),
		"git_url": r.CloneURL(), "ssh_url": r.CloneURL(), "clone_url": r.CloneURL(), "svn_url": r.html(),
		"created_at": stamp(r.created), "updated_at": stamp(r.created), "pushed_at": stamp(r.created),
		"homepage": nil, "size": 0, "stargazers_count": 0, "watchers_count": 0, "language": nil,
		"has_issues": true, "has_projects": true, "has_downloads": true, "has_wiki": true, "has_pages": false,
		"has_discussions": false, "forks_count": 0, "mirror_url": nil, "archived": false, "disabled": false,
		"open_issues_count": 0, "license": nil, "forks": 0, "open_issues": 0, "watchers": 0, "default_branch": r.branch,
		"allow_forking": true, "is_template": false, "web_commit_signoff_required": false, "topics": []string{},
		"visibility": "public",
	}
	for k, tail := range repoURLs {
		o[k] = r.api() + tail
	}
	return o
}

// fullShape is the answer to GET /repos/{owner}/{repo}; who is the person that asks, or nil.
func (r *Repository) fullShape(who *User) object {
	o := r.shape()
	o["network_count"], o["subscribers_count"] = 0, 0
	if who != nil {
		r.s.mu.Lock()
		o["permissions"] = permissionShape(r.permission(who.Login))
		r.s.mu.Unlock()
	}
	return o
}

// appPermissions is what the App was given: what gatebot documents that it needs.
var appPermissions = map[string]string{
	"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write", "merge_queues": "read",
	"administration": "read",
}

var appEvents = []string{"check_run", "check_suite", "issue_comment", "merge_group", "pull_request", "push"}

func (s *Server) appShape() object {
	return object{
		"id": s.opt.AppID, "slug": s.opt.AppSlug, "node_id": nodeID("A", s.opt.AppID), "owner": s.userShape("gatebot-owner"),
		"name": s.opt.AppSlug, "description": "the App of the stand-in", "external_url": "https://example.com",
		"html_url": s.URL() + "/apps/" + s.opt.AppSlug, "created_at": stamp(s.started), "updated_at": stamp(s.started),
		"permissions": appPermissions, "events": appEvents,
	}
}

func (r *Repository) installationShape() object {
	return object{
		"id": r.installation, "app_id": r.s.opt.AppID, "app_slug": r.s.opt.AppSlug, "target_id": 1,
		"target_type": "Organization", "single_file_name": nil, "repository_selection": "selected",
		"access_tokens_url": fmt.Sprintf("%s/app/installations/%d/access_tokens", r.s.URL(), r.installation),
		"repositories_url":  r.s.URL() + "/installation/repositories", "html_url": r.s.URL() + "/settings/installations",
		"events": appEvents, "account": r.s.userShape(r.owner), "permissions": appPermissions,
		"created_at": stamp(r.created), "updated_at": stamp(r.created), "suspended_by": nil, "suspended_at": nil,
	}
}
