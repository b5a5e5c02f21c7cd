package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Has reports whether the object is in the local store.
func (r *CLI) Has(ctx context.Context, id string) bool {
	if !isID(id) {
		return false
	}
	found := false
	// An error means that git could not tell, or that a partial clone would have to fetch it: not here either way.
	err := r.ask(ctx, &r.headers, "--batch-check", []string{id}, func(_ int, o answer) error {
		found = o.kind != ""
		return nil
	})
	return err == nil && found
}

// Commit reads one commit by its id.
func (r *CLI) Commit(ctx context.Context, id string) (Commit, error) {
	if !isID(id) {
		return Commit{}, fmt.Errorf("commit %q: %w (want a full object id)", id, ErrNotFound)
	}
	var c Commit
	err := r.ask(ctx, &r.contents, "--batch", []string{id}, func(_ int, o answer) (err error) {
		if o.kind != "commit" {
			return fmt.Errorf("commit %s: %w", id, ErrNotFound)
		}
		if c, err = parseCommit(id, o.data); err == nil {
			r.trees.add(c.Tree)
		}
		return err
	})
	return c, err
}

// Blobs reads blobs in order.
func (r *CLI) Blobs(ctx context.Context, ids []string, f func(id string, data []byte, err error) error) error {
	for _, id := range ids {
		if !isID(id) {
			return fmt.Errorf("blob %q: not a full object id", id)
		}
	}
	if len(ids) == 1 {
		if data, ok := r.kept.Get(ids[0]); ok {
			return f(ids[0], data, nil)
		}
	}
	done := 0
	one := func(i int, o answer) error {
		done++
		switch {
		case o.kind == "":
			return f(ids[i], nil, fmt.Errorf("blob %s: %w", ids[i], ErrNotFound))
		case o.kind != "blob":
			return f(ids[i], nil, fmt.Errorf("blob %s: it is a %s: %w", ids[i], o.kind, ErrNotFound))
		case o.size > MaxBlob:
			return f(ids[i], nil, fmt.Errorf("blob %s: %d bytes: %w", ids[i], o.size, ErrTooLarge))
		}
		if len(ids) == 1 {
			r.keepBlob(ids[i], o.data)
		}
		return f(ids[i], o.data, nil)
	}
	err := r.ask(ctx, &r.contents, "--batch", ids, one)
	if !errors.Is(err, errMissingPromised) {
		return err
	}
	// A partial clone: cat-file gives up at the first blob that is promised and not here. Ask what is here first.
	rest := ids[done:]
	here, err := r.present(ctx, rest)
	if err != nil {
		return err
	}
	for _, id := range rest {
		if here[id] {
			err = r.ask(ctx, &r.contents, "--batch", []string{id}, func(_ int, o answer) error { return one(done, o) })
		} else {
			err = one(done, answer{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// present tells which of these blobs a partial clone has: rev-list is the one plumbing command that never fetches.
func (r *CLI) present(ctx context.Context, ids []string) (map[string]bool, error) {
	var stdin bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&stdin, id)
	}
	out, err := r.run(ctx, &stdin, "rev-list", "--objects", "--no-walk", "--missing=print", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, line := range strings.Split(string(out), "\n") {
		id, _, _ := strings.Cut(line, " ")
		here[id] = isID(id) // missing ones come as "?<id>"
	}
	return here, nil
}

// errMissingPromised is how a cat-file child ends in a partial clone when an object is not here.
var errMissingPromised = errors.New("object left out of a partial clone")

// ask runs one exchange on a child of the pool. A child that sat idle may have died with nobody looking (a killed
// process group, an object store that was moved): it is replaced once, before anything was answered.
func (r *CLI) ask(ctx context.Context, p *pool, mode string, ids []string, f func(i int, o answer) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("git cat-file: %w", context.Cause(ctx))
	}
	if len(ids) == 0 {
		return nil
	}
	answered := false
	for try := 0; ; try++ {
		b, err := p.take(func() (*batch, error) { return r.startBatch(mode) })
		if err != nil {
			return err
		}
		err = b.ask(ctx, ids, func(i int, o answer) error {
			answered = true
			return f(i, o)
		})
		if err == nil {
			p.give(b)
			return nil
		}
		said := b.stop()
		if !errors.Is(err, errDied) {
			return err
		}
		if strings.Contains(said, "promisor") {
			return fmt.Errorf("%w: %s", errMissingPromised, firstLine(said))
		}
		if answered || try > 0 {
			return fmt.Errorf("%w: %s", err, firstLine(said))
		}
	}
}
