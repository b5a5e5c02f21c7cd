package standin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// User is a person (or the App's bot) with an account. A person's token opens git's smart HTTP for reading and writing.
type User struct {
	ID    int64
	Login string
	Token string
	bot   bool
}

func (u *User) email() string {
	return fmt.Sprintf("%d+%s@users.noreply.github.com", u.ID, u.Login)
}

// AddUser makes an account whose token opens every repository for pushing.
func (s *Server) AddUser(login, token string) *User {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &User{ID: s.newID(), Login: login, Token: token}
	s.users[login] = u
	return u
}

// Repository is a repository at the stand-in. The App is installed on it.
type Repository struct {
	s            *Server
	id           int64
	owner, name  string
	installation int64
	branch       string // default branch
	created      time.Time

	pushing sync.Mutex // one push after the other: reading the refs and telling of them is one step

	// Guarded by s.mu.
	refs    map[string]string    // as last seen, to tell what a push changed
	visible map[string]time.Time // when each commit that a ref ever pointed to becomes visible
	pulls   []*Pull
	nextPR  int

	people   map[string]string // login → permission
	comments []*Comment
	statuses []*Status
	required map[string][]requiredCheck // by branch
}

// namePattern is what GitHub allows in an owner's or repository's name; it also keeps paths inside Options.Dir.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// CreateRepository makes an empty bare repository whose default branch is main, with the App installed on it.
func (s *Server) CreateRepository(ctx context.Context, owner, name string) (*Repository, error) {
	if !namePattern.MatchString(owner) || !namePattern.MatchString(name) {
		return nil, fmt.Errorf("stand-in: repository %s/%s: not a name GitHub would take", owner, name)
	}
	r := &Repository{
		s: s, owner: owner, name: name, branch: "main", created: time.Now(),
		refs: map[string]string{}, visible: map[string]time.Time{}, nextPR: 1,
	}
	if err := os.MkdirAll(filepath.Dir(r.Dir()), 0o755); err != nil {
		return nil, fmt.Errorf("stand-in: %w", err)
	}
	if _, err := s.git.run(ctx, s.opt.Dir, nil, "init", "-q", "--bare", "--initial-branch=main", r.Dir()); err != nil {
		return nil, err
	}
	for _, kv := range [][2]string{
		{"http.receivepack", "true"},
		{"uploadpack.allowAnySHA1InWant", "true"}, // as GitHub does, and what lets a fork's commit be fetched by its id
		{"uploadpack.allowFilter", "true"},
		{"receive.hideRefs", "refs/pull"}, // only the server writes these
		{"gc.auto", "0"},
	} {
		if _, err := s.git.run(ctx, r.Dir(), nil, "config", kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.id, r.installation = s.newID(), s.newID()
	s.repos = append(s.repos, r)
	return r, nil
}

// ID is the repository's number.
func (r *Repository) ID() int64 { return r.id }

// Installation is the number of the App's installation on the repository.
func (r *Repository) Installation() int64 { return r.installation }

// FullName is owner/name.
func (r *Repository) FullName() string { return r.owner + "/" + r.name }

// Dir is the bare repository on disk.
func (r *Repository) Dir() string { return filepath.Join(r.s.opt.Dir, r.owner, r.name+".git") }

// CloneURL is the address for git.
func (r *Repository) CloneURL() string { return r.s.URL() + "/" + r.FullName() + ".git" }

// PushURL is CloneURL with a user's credentials.
func (r *Repository) PushURL(u *User) string {
	return strings.Replace(r.CloneURL(), "://", "://"+u.Login+":"+u.Token+"@", 1)
}

// Head is the commit of a branch, or empty.
func (r *Repository) Head(branch string) string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.refs["refs/heads/"+branch]
}

// repository finds a repository by its full name, in whatever case, as GitHub does. The caller holds mu.
func (s *Server) repository(owner, name string) *Repository {
	for _, r := range s.repos {
		if strings.EqualFold(r.owner, owner) && strings.EqualFold(r.name, strings.TrimSuffix(name, ".git")) {
			return r
		}
	}
	return nil
}

// bot is the account in whose name the App acts. The caller holds mu.
func (s *Server) bot() *User {
	login := s.opt.AppSlug + "[bot]"
	u := s.users[login]
	if u == nil {
		u = &User{ID: s.newID(), Login: login, bot: true}
		s.users[login] = u
	}
	return u
}
