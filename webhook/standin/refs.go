package standin

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// zeroID is what GitHub's payloads say for "no commit" in SHA-1 repositories.
const zeroID = "0000000000000000000000000000000000000000"

// sync looks at the refs on disk after something may have moved them, and does what GitHub does about a push: it
// sends the events, moves the heads of pull requests and closes those that are now merged.
func (r *Repository) sync(ctx context.Context, by *User) error {
	r.pushing.Lock()
	defer r.pushing.Unlock()
	now, err := r.readRefs(ctx)
	if err != nil {
		return err
	}
	r.s.mu.Lock()
	before := r.refs
	r.refs = now
	at := time.Now().Add(r.s.opt.VisibleAfter)
	var changed []string
	tags := 0
	for name := range union(before, now) {
		if before[name] == now[name] || strings.HasPrefix(name, "refs/pull/") {
			continue
		}
		changed = append(changed, name)
		if strings.HasPrefix(name, "refs/tags/") {
			tags++
		}
		if id := now[name]; id != "" && r.visible[id].IsZero() {
			r.visible[id] = at
		}
	}
	r.s.mu.Unlock()
	slices.Sort(changed)

	for _, name := range changed {
		// More than three tags in one push send no event at all.
		if strings.HasPrefix(name, "refs/tags/") && tags > 3 {
			continue
		}
		if err := r.pushed(ctx, by, name, before[name], now[name]); err != nil {
			return err
		}
		branch, ok := strings.CutPrefix(name, "refs/heads/")
		if !ok {
			continue
		}
		if err := r.movePulls(ctx, by, branch, before[name], now[name]); err != nil {
			return err
		}
	}
	return nil
}

func union(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for k := range maps.Keys(a) {
		all[k] = true
	}
	for k := range maps.Keys(b) {
		all[k] = true
	}
	return all
}

func (r *Repository) readRefs(ctx context.Context) (map[string]string, error) {
	out, err := r.s.git.run(ctx, r.Dir(), nil, "for-each-ref", "--format=%(refname) %(objectname)")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[name] = id
		}
	}
	return refs, nil
}

// commitVisible resolves a full commit id or branch name as the API sees it at this moment, or returns "".
func (r *Repository) commitVisible(ctx context.Context, rev string) string {
	r.s.mu.Lock()
	if id := r.refs["refs/heads/"+strings.TrimPrefix(rev, "heads/")]; id != "" {
		rev = id
	}
	at, known := r.visible[rev]
	r.s.mu.Unlock()
	if known && time.Now().Before(at) {
		return ""
	}
	if strings.HasPrefix(rev, "-") {
		return ""
	}
	if known && fullID.MatchString(rev) {
		return rev // a ref pointed at it once, and nothing is ever collected here
	}
	id, err := r.s.git.run(ctx, r.Dir(), nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return ""
	}
	return id
}

// SetRef moves a ref as a person would with a forced push and sends the events. An empty id deletes the ref.
func (r *Repository) SetRef(ctx context.Context, by *User, ref, id string) error {
	args := []string{"update-ref", ref, id}
	if id == "" {
		args = []string{"update-ref", "-d", ref}
	}
	if _, err := r.s.git.run(ctx, r.Dir(), nil, args...); err != nil {
		return err
	}
	return r.sync(ctx, by)
}

// Commit makes a commit on a branch (creating the branch, from the default branch where there is one) and sends the
// events of the push. It returns the new commit's id.
func (r *Repository) Commit(ctx context.Context, by *User, branch, message string, changes ...Change) (string, error) {
	parent := r.Head(branch)
	if parent == "" {
		parent = r.Head(r.branch)
	}
	id, err := r.s.git.commitTree(ctx, r.Dir(), parent, message, author(by.Login, by.email(), time.Now()), changes)
	if err != nil {
		return "", err
	}
	return id, r.SetRef(ctx, by, "refs/heads/"+branch, id)
}

// Show is the content of an object, such as REV:PATH.
func (r *Repository) Show(ctx context.Context, object string) (string, error) {
	return r.s.git.run(ctx, r.Dir(), nil, "show", "--end-of-options", object)
}
