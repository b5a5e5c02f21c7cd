package bundle

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Result is what a checkout has to tell.
type Result struct {
	// Replaced lists symbolic links that led out of the tree. Each is a plain file now that holds the link's target, as
	// git itself does on systems without links.
	Replaced []string
}

// Checkout makes a repository in dir, which must be missing or empty, with head checked out and base beside it. What it
// unpacks is not trusted: ids are recomputed by git, no hook, filter, LFS or submodule of the tree is run or fetched,
// files are byte for byte what was committed. ErrDamaged and ErrMismatch tell a bad bundle from a failing machine.
func Checkout(ctx context.Context, r io.Reader, dir string, want Want) (Result, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	refs, err := readHeader(br)
	if err != nil {
		return Result{}, fmt.Errorf("check out: %w", err)
	}
	if refs[HeadRef] != want.Head || refs[BaseRef] != want.Base {
		return Result{}, fmt.Errorf("check out: %w: it holds head %q and base %q, the job wants %q and %q",
			ErrMismatch, refs[HeadRef], refs[BaseRef], want.Head, want.Base)
	}
	if err := emptyDir(dir); err != nil {
		return Result{}, fmt.Errorf("check out: %w", err)
	}
	g, err := newGit(dir)
	if err != nil {
		return Result{}, fmt.Errorf("check out: %w", err)
	}
	if err := g.unpack(ctx, br, refs); err != nil {
		return Result{}, fmt.Errorf("check out: %w", err)
	}
	if err := g.verify(ctx, want); err != nil {
		return Result{}, fmt.Errorf("check out: %w", err)
	}
	if _, err := g.run(ctx, nil, "checkout", "-q", "-f", "--detach", want.Head); err != nil {
		return Result{}, fmt.Errorf("check out %.12s: %w", want.Head, err)
	}
	replaced, err := g.tameLinks(ctx, want.Head)
	if err != nil {
		return Result{}, fmt.Errorf("check out %.12s: symbolic links: %w", want.Head, err)
	}
	return Result{Replaced: replaced}, nil
}

func emptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	return err
}

// exactAttributes outranks every .gitattributes of the tree: no filter, no line ends, no keyword, no re-encoding.
const exactAttributes = "* -text -filter -ident -working-tree-encoding -merge -diff\n"

// unpack fills the repository. Both commits are entered as shallow first, for their parents are not in the bundle.
func (g *gitDir) unpack(ctx context.Context, pack io.Reader, refs map[string]string) error {
	if _, err := g.run(ctx, nil, "init", "-q", "--template=", "--object-format=sha1", "."); err != nil {
		return err
	}
	shallow := refs[HeadRef] + "\n"
	if base := refs[BaseRef]; base != "" && base != refs[HeadRef] {
		shallow += base + "\n"
	}
	dot := filepath.Join(g.dir, ".git")
	if err := os.Mkdir(filepath.Join(dot, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dot, "info", "attributes"), []byte(exactAttributes), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dot, "shallow"), []byte(shallow), 0o600); err != nil {
		return err
	}
	if _, err := g.run(ctx, pack, "index-pack", "--stdin", "--threads=1"); err != nil {
		return g.damaged(ctx, err)
	}
	for name, id := range refs {
		if _, err := g.run(ctx, nil, "update-ref", name, id); err != nil {
			return g.damaged(ctx, err)
		}
	}
	return nil
}

// damaged blames the bundle for what git said of it, unless we were told to stop or git itself cannot be run.
func (g *gitDir) damaged(ctx context.Context, err error) error {
	var said *gitError
	if ctx.Err() != nil || !errors.As(err, &said) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// verify holds the trees against the job and makes sure that every object of both is there.
func (g *gitDir) verify(ctx context.Context, want Want) error {
	tree, err := g.run(ctx, nil, "rev-parse", "--verify", "--quiet", HeadRef+"^{tree}")
	if err != nil {
		return g.damaged(ctx, err)
	}
	if got := strings.TrimSpace(string(tree)); got != want.Tree {
		return fmt.Errorf("%w: head has tree %s, the job wants %s", ErrMismatch, got, want.Tree)
	}
	refs := []string{HeadRef}
	if want.Base != "" {
		refs = append(refs, BaseRef)
	}
	if _, err := g.run(ctx, nil, append([]string{"rev-list", "--objects", "--quiet"}, refs...)...); err != nil {
		return g.damaged(ctx, err)
	}
	return nil
}
