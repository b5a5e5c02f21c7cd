package standin

import (
	"net/http"
	"slices"
)

// levels of permission, lowest first. GitHub's endpoint reports maintain as write and triage as read.
var permissionLevels = []string{"none", "read", "write", "admin"}

// SetPermission says what a person may do in the repository: admin, write, read or none. Without it every user that was
// added may write, as the token allows.
func (r *Repository) SetPermission(login, level string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.people == nil {
		r.people = map[string]string{}
	}
	r.people[login] = level
}

// permission is a person's level. The caller holds mu.
func (r *Repository) permission(login string) string {
	if level, ok := r.people[login]; ok {
		return level
	}
	if u := r.s.users[login]; u != nil && !u.bot {
		return "write"
	}
	return "none"
}

func (s *Server) peopleRoutes(on func(string, need, handler)) {
	on("GET /repos/{owner}/{repo}/collaborators/{login}/permission", read("metadata"), (*call).getPermission)
	on("GET /user", read("metadata"), (*call).getUser)
}

func (c *call) getPermission() (int, any, error) {
	login := c.PathValue("login")
	c.s.mu.Lock()
	_, known := c.s.users[login]
	level := c.repo.permission(login)
	c.s.mu.Unlock()
	if !known {
		return 0, nil, notFound()
	}
	user := c.s.userShape(login)
	user["role_name"] = level
	user["permissions"] = permissionShape(level)
	return http.StatusOK, object{"permission": level, "role_name": level, "user": user}, nil
}

// permissionShape is a level as GitHub spells it out.
func permissionShape(level string) object {
	at := slices.Index(permissionLevels, level)
	return object{"pull": at >= 1, "triage": at >= 2, "push": at >= 2, "maintain": at >= 3, "admin": at >= 3}
}

// getUser is whose token asks; an App's token has no user.
func (c *call) getUser() (int, any, error) {
	if c.token.user == nil {
		return 0, nil, fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	o := c.s.userShape(c.token.user.Login)
	for k, v := range map[string]any{
		"user_view_type": "public", "name": nil, "company": nil, "blog": nil, "location": nil, "email": nil, "hireable": nil, "bio": nil,
		"public_repos": 0, "public_gists": 0, "followers": 0, "following": 0, "created_at": stamp(c.s.started), "updated_at": stamp(c.s.started),
	} {
		o[k] = v
	}
	return http.StatusOK, o, nil
}

// userToken is what a person's own token opens: what the person may do, except check runs, which only Apps write.
func (s *Server) userToken(credential string) *token {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		if u.Token != "" && u.Token == credential {
			return &token{value: credential, user: u, expires: now().Add(tokenLife), permissions: map[string]string{
				"metadata": "read", "contents": "write", "pull_requests": "write", "statuses": "write", "checks": "read", "administration": "read",
			}}
		}
	}
	return nil
}
