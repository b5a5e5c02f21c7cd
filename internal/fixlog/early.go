package fixlog

import (
	"github.com/gatebot/gatebot/internal/git"
)

// early is what a commit changed, read while its tree is scanned: of one whose parent has a violation where it takes lines
// away it is mostly asked what became of them.
type early struct {
	id   string
	wait func() (map[string]*edit, error)
}

// readEarly begins. End has to be called.
func (u *update) readEarly(g *glance) *early {
	if g.Sight == Exact { // there may be nothing to judge
		return nil
	}
	return &early{g.commit.ID, beside(func() (map[string]*edit, error) {
		return readEdits(u.ctx, u.repo, u.opts.Shelf, g.changes)
	})}
}

func (e *early) end() {
	if e != nil {
		_, _ = e.wait()
	}
}

// edits is what a commit changed.
func (u *update) edits(c git.Commit, changes []git.Change) (map[string]*edit, error) {
	if u.early != nil && u.early.id == c.ID {
		return u.early.wait()
	}
	return readEdits(u.ctx, u.repo, u.opts.Shelf, changes)
}
