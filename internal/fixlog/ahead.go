package fixlog

import (
	"context"
	"sync"
)

// aheadMost is how many commits are looked at before they are asked for: the next scan is rarely further away, and what
// is known of them is a few kilobytes each.
const aheadMost = 48

// lookers is how many looks are taken side by side.
const lookers = 2

// ahead looks at commits beside the scans, in their order and some of them side by side.
type ahead struct {
	ctx   context.Context // ends when nobody asks any more
	stop  context.CancelFunc
	queue chan *look
	all   sync.WaitGroup
}

// look is a glance that is being taken.
type look struct {
	done chan struct{}
	g    *glance
	err  error
}

// lookAhead begins. Close has to be called, whatever happened.
func (u *update) lookAhead(ids []string) *ahead {
	a := &ahead{queue: make(chan *look, aheadMost)}
	a.ctx, a.stop = context.WithCancel(u.ctx)
	a.all.Go(func() {
		busy := make(chan struct{}, lookers)
		for _, id := range ids {
			l := &look{done: make(chan struct{})}
			select {
			case a.queue <- l:
			case <-a.ctx.Done():
				return
			}
			select {
			case busy <- struct{}{}:
			case <-a.ctx.Done():
				return
			}
			a.all.Go(func() {
				defer func() { <-busy }()
				defer close(l.done)
				if l.g, l.err = u.glance(a.ctx, id); l.err == nil && l.g.Sight == Lost {
					u.soon(l.g.parent.ID) // to see whether that counts there
				}
			})
		}
	})
	return a
}

// next is what is seen of the next commit. It is an error when that could not be found out, whatever was found out of
// later ones.
func (a *ahead) next() (*glance, error) {
	select {
	case l := <-a.queue:
		select {
		case <-l.done:
			return l.g, l.err
		case <-a.ctx.Done():
		}
	case <-a.ctx.Done():
	}
	return nil, context.Cause(a.ctx)
}

// close ends what is still being looked at, and waits for that.
func (a *ahead) close() {
	a.stop()
	a.all.Wait()
}

// soon says that a commit will probably be scanned.
func (u *update) soon(id string) {
	if u.opts.Soon != nil {
		u.opts.Soon(u.ctx, id)
	}
}
