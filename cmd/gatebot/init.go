package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/starter"
)

const longInit = `Looks at the repository and writes ` + config.FileName + ` with its guesses, each with what it was guessed from: the step module,
folders that are no part of a step, the interpreter, the GPU of this machine, a fix log that is kept by hand. Nothing that
is there is overwritten without --force, and --print writes nothing at all.`

func newInit(s streams) *cobra.Command {
	var force, show bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a first " + config.FileName + ", with its guesses explained",
		Long:  longInit,
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return runInit(c.Context(), s, force, show) },
	}
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing "+config.FileName)
	c.Flags().BoolVar(&show, "print", false, "print it instead of writing it")
	return c
}

func runInit(ctx context.Context, s streams, force, show bool) error {
	root, err := repository("")
	if err != nil {
		return err
	}
	names, err := starter.Names(ctx, root)
	if err != nil {
		return err
	}
	tree, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	defer func() { _ = tree.Close() }() // only readers end with it
	g, err := starter.Look(ctx, names, func(name string) ([]byte, error) { return tree.ReadFile(filepath.FromSlash(name)) })
	if err != nil {
		return err
	}
	g.Python = starter.Environment(root)
	if d, err := device.Detect(ctx, ""); err == nil {
		g.Device = d // no device, and no way to ask for one, only leaves the line out
	}
	text := g.Render()
	if _, err := config.Load(config.FileName, text); err != nil {
		return fmt.Errorf("init: what was guessed is no valid configuration: %w (please report it)", err)
	}
	if show {
		_, err := s.out.Write(text)
		return err
	}
	file := filepath.Join(root, config.FileName)
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &exitError{code: exitUsage, err: fmt.Errorf("init: %s is there already (edit it, or give --force to overwrite it)", config.FileName)}
	}
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(fmt.Errorf("init: %w", err), f.Close())
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	next := "gatebot scan         # what is there now\n  gatebot hook install # what is new is refused at a push\n"
	if g.Entry != nil {
		next += "  gatebot check        # on a machine with a GPU\n"
	}
	_, err = fmt.Fprintf(s.out, "%s written from %d source files; read it, then:\n  %s", config.FileName, g.Files, next)
	return err
}
