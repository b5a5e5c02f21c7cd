package gate

import (
	"context"
	"slices"
	"sync"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/tree"
)

// soonMost bounds the lists that nobody has asked for yet: a megabyte each for a repository of the size of vLLM.
const soonMost = 6

// soon lists the files of commits that will be scanned: git takes as long for it as some scans, and one core has nothing to
// do meanwhile.
type soon struct {
	mu    sync.Mutex
	lists map[string]*listing // by revision
	order []string            // in which they were begun
	all   sync.WaitGroup
}

// listing is one of them; what it gives is there once done is closed.
type listing struct {
	done  chan struct{}
	files []checks.File
	err   error
}

// begin lists a commit. It may be called from several goroutines. Of too many the first one is given up: what was
// not asked for by then is mostly not scanned.
func (s *soon) begin(ctx context.Context, repo git.Repository, rev string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists[rev] != nil {
		return
	}
	if len(s.order) >= soonMost {
		delete(s.lists, s.order[0])
		s.order = s.order[1:]
	}
	if s.lists == nil {
		s.lists = map[string]*listing{}
	}
	l := &listing{done: make(chan struct{})}
	s.lists[rev] = l
	s.order = append(s.order, rev)
	s.all.Go(func() {
		defer close(l.done)
		l.files, l.err = tree.NewCommit(repo, rev).Files(ctx)
	})
}

// take gives the files of a commit that was begun, once. It is false where none was, and where that went wrong: whoever
// lists it then gets the reason.
func (s *soon) take(rev string) ([]checks.File, bool) {
	s.mu.Lock()
	l := s.lists[rev]
	delete(s.lists, rev)
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == rev })
	s.mu.Unlock()
	if l == nil {
		return nil, false
	}
	<-l.done
	return l.files, l.err == nil
}

// end waits for those that nobody has asked for, and gives them up.
func (s *soon) end() {
	s.all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists, s.order = nil, nil
}
