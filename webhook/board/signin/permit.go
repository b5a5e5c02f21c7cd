package signin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Visitor is somebody who is in.
type Visitor struct {
	Login string // "" for whoever has the static token
	token string
	all   bool
	door  *Door
}

// All reports whether the visitor sees everything.
func (v *Visitor) All() bool { return v.all }

// May reports whether the visitor may see a repository. ErrRefused: the sign-in is over. Any other error wraps ErrUnknown.
func (v *Visitor) May(ctx context.Context, r Repo) (bool, error) {
	if v.all {
		return true, nil
	}
	return v.door.permits.ask(ctx, v.token, r)
}

// asks is how many repositories are asked about at once for one page.
const asks = 8

// Readable are those of the repositories that the visitor may see, by id. One that cannot be asked about fails the whole:
// a page without it would look complete.
func (v *Visitor) Readable(ctx context.Context, repos []Repo) (map[int64]bool, error) {
	out := make(map[int64]bool, len(repos))
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	turn := make(chan struct{}, asks)
	for _, r := range repos {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			ok, err := v.May(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			out[r.ID] = ok
			if failed == nil || errors.Is(err, ErrRefused) && !errors.Is(failed, ErrRefused) {
				failed = err
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return out, nil
}

// permits remembers for minutes what GitHub said. What it refused is asked again sooner: somebody was just invited.
const (
	permitFor = 5 * time.Minute
	refuseFor = 30 * time.Second
	maxPermit = 20_000
)

type permitKey struct {
	token [sha256.Size]byte
	repo  int64
}

type permit struct {
	ok bool
	at time.Time
}

type permits struct {
	provider Provider
	level    string
	now      func() time.Time
	mu       sync.Mutex
	known    map[permitKey]permit
	asking   map[permitKey]chan struct{}
}

func (p *permits) init(o Options) {
	p.provider, p.level, p.now = o.Provider, o.Level, o.Now
	p.known, p.asking = map[permitKey]permit{}, map[permitKey]chan struct{}{}
}

// remembered is what is known and still fresh.
func (p *permits) remembered(k permitKey) (ok, known bool) {
	x, there := p.known[k]
	life := refuseFor
	if x.ok {
		life = permitFor
	}
	if !there || p.now().Sub(x.at) >= life {
		return false, false
	}
	return x.ok, true
}

// ask answers from memory or asks GitHub, once for all who want to know the same at the same time.
func (p *permits) ask(ctx context.Context, token string, r Repo) (bool, error) {
	k := permitKey{sha256.Sum256([]byte(token)), r.ID}
	for {
		p.mu.Lock()
		if ok, known := p.remembered(k); known {
			p.mu.Unlock()
			return ok, nil
		}
		other := p.asking[k]
		if other == nil {
			done := make(chan struct{})
			p.asking[k] = done
			p.mu.Unlock()
			ok, err := p.find(ctx, k, token, r)
			p.mu.Lock()
			delete(p.asking, k)
			close(done)
			p.mu.Unlock()
			return ok, err
		}
		p.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return false, fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())
		}
	}
}

func (p *permits) find(ctx context.Context, k permitKey, token string, r Repo) (bool, error) {
	level, err := p.provider.Permission(ctx, token, r)
	if errors.Is(err, ErrRefused) {
		p.forget(token)
		return false, err
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	ok := level == LevelWrite || level == LevelRead && p.level != LevelWrite
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxPermit {
		clear(p.known) // asked again; a flood of tokens must not fill the memory
	}
	p.known[k] = permit{ok, p.now()}
	return ok, nil
}

func (p *permits) forget(token string) {
	sum := sha256.Sum256([]byte(token))
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.known {
		if k.token == sum {
			delete(p.known, k)
		}
	}
}
