package git

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commits lists commits, newest first by committer date. What is excluded is walked whole: fine for the repositories
// that are gatebot's own.
func (r *GoGit) Commits(ctx context.Context, include, exclude []string, firstParent bool) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	edge, err := r.shallowEdge()
	if err != nil {
		return nil, err
	}
	starts, err := r.resolveAll(exclude)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for len(starts) > 0 {
		id := starts[len(starts)-1]
		starts = starts[:len(starts)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		c, err := r.visit(ctx, id, edge)
		if err != nil {
			return nil, err
		}
		starts = append(starts, c.Parents...)
	}
	if starts, err = r.resolveAll(include); err != nil {
		return nil, err
	}
	var queue byDate
	push := func(id string) error {
		if seen[id] {
			return nil
		}
		seen[id] = true
		c, err := r.visit(ctx, id, edge)
		if err == nil {
			heap.Push(&queue, c)
		}
		return err
	}
	for _, id := range starts {
		if err := push(id); err != nil {
			return nil, err
		}
	}
	var out []string
	for queue.Len() > 0 {
		c := heap.Pop(&queue).(Commit)
		out = append(out, c.ID)
		for i, p := range c.Parents {
			if firstParent && i > 0 {
				break
			}
			if err := push(p); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// visit reads a commit; at the edge of a shallow clone it has no parents.
func (r *GoGit) visit(ctx context.Context, id string, edge map[string]bool) (Commit, error) {
	if err := ctx.Err(); err != nil {
		return Commit{}, err
	}
	c, err := r.commit(id)
	if edge[id] {
		c.Parents = nil
	}
	return c, err
}

func (r *GoGit) shallowEdge() (map[string]bool, error) {
	hashes, err := r.store.Shallow()
	if err != nil {
		return nil, fmt.Errorf("shallow file: %w", err)
	}
	edge := make(map[string]bool, len(hashes))
	for _, h := range hashes {
		edge[h.String()] = true
	}
	return edge, nil
}

// resolveAll resolves revisions; "--remotes=NAME" stands for every remote-tracking branch of NAME.
func (r *GoGit) resolveAll(revs []string) ([]string, error) {
	var ids []string
	for _, rev := range revs {
		remote, ok := strings.CutPrefix(rev, remotesPrefix)
		if !ok {
			id, err := r.resolve(rev)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
			continue
		}
		refs, err := r.repo.References()
		if err != nil {
			return nil, fmt.Errorf("references: %w", err)
		}
		err = refs.ForEach(func(ref *plumbing.Reference) error {
			name := ref.Name().String()
			if ref.Type() != plumbing.HashReference || !strings.HasPrefix(name, "refs/remotes/"+remote+"/") {
				return nil
			}
			id, err := r.resolve(ref.Hash().String())
			if errors.Is(err, ErrNotFound) {
				return nil // points at something that is no commit
			}
			ids = append(ids, id)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("references: %w", err)
		}
	}
	return ids, nil
}

// byDate is a heap, the newest commit on top; equal dates by id, so that the order is the same every time.
type byDate []Commit

func (h byDate) Len() int { return len(h) }
func (h byDate) Less(i, j int) bool {
	if !h[i].When.Equal(h[j].When) {
		return h[i].When.After(h[j].When)
	}
	return h[i].ID < h[j].ID
}
func (h byDate) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byDate) Push(x any)   { *h = append(*h, x.(Commit)) }
func (h *byDate) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}

// MergeBase is the newest common ancestor that no other common ancestor descends from.
func (r *GoGit) MergeBase(ctx context.Context, a, b string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	idA, err := r.resolve(a)
	if err != nil {
		return "", err
	}
	idB, err := r.resolve(b)
	if err != nil {
		return "", err
	}
	edge, err := r.shallowEdge()
	if err != nil {
		return "", err
	}
	ofA, err := r.ancestors(ctx, idA, edge)
	if err != nil {
		return "", err
	}
	ofB, err := r.ancestors(ctx, idB, edge)
	if err != nil {
		return "", err
	}
	return best(a, b, ofA, ofB)
}

func (r *GoGit) ancestors(ctx context.Context, id string, edge map[string]bool) (map[string]Commit, error) {
	all := map[string]Commit{}
	todo := []string{id}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := all[id]; seen {
			continue
		}
		c, err := r.visit(ctx, id, edge)
		if err != nil {
			return nil, err
		}
		all[id] = c
		todo = append(todo, c.Parents...)
	}
	return all, nil
}

func best(a, b string, ofA, ofB map[string]Commit) (string, error) {
	inner := map[string]bool{} // parents of common ancestors: never the best
	var common byDate
	for id, c := range ofA {
		if _, both := ofB[id]; both {
			common = append(common, c)
			for _, p := range c.Parents {
				inner[p] = true
			}
		}
	}
	heap.Init(&common)
	for common.Len() > 0 {
		if c := heap.Pop(&common).(Commit); !inner[c.ID] {
			return c.ID, nil
		}
	}
	return "", fmt.Errorf("merge base of %s and %s: %w", a, b, ErrNotFound)
}
