package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/fixlog"
	"github.com/gatebot/gatebot/internal/gate"
)

func newFixlog(s streams) *cobra.Command {
	return group("fixlog", "The violation fix log, from what the findings say", newFixlogUpdate(s), newFixlogShow(s), newFixlogVerify(s), newFixlogCollate(s))
}

func newFixlogUpdate(s streams) *cobra.Command {
	var with, results []string
	var judge string
	var every bool
	c := &cobra.Command{
		Use:   "update [A..B]",
		Short: "Log what the commits since the last update fixed",
		Long: `Walks the first-parent history up to HEAD, or A..B, compares the findings of each commit with those of its parent,
and writes what disappeared, the way fixlog.mode says: into the ledger (` + gate.LedgerPath + `) and the document
(pr, push), one file for each fix (fragments), or git notes (notes). It needs no server.

Commits whose own files show that nothing went are not scanned each. What such a commit makes visible in a file that it
does not touch, and a later one before the next scan takes away again the same way, is no row then; with --every-commit,
as on the server, it is one. That takes many times as long.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withFixLog(c.Context(), judge, func(l *gate.FixLog) error {
				if err := l.WithResults(results); err != nil {
					return commandError(err)
				}
				l.EveryCommit = every
				progress := newProgress(s.err)
				var said time.Time
				l.Progress = func(done, left int) {
					if time.Since(said) > 3*time.Second { // a phase is shown when it has lasted for two
						said = time.Now()
						progress.phase(fmt.Sprintf("commit %d of %d", done+1, done+left))
					}
				}
				out, err := l.Update(c.Context(), first(args), with)
				progress.done()
				if out == nil {
					return commandError(err)
				}
				notes(s.err, out.Notes)
				// Also after an error: what was read is kept, and the next update goes on there.
				state, saveErr := l.Save(context.WithoutCancel(c.Context()))
				if err = errors.Join(err, saveErr); err != nil {
					return commandError(err)
				}
				_, err = fmt.Fprintf(s.out, "%d commits looked at, %d records changed, %s\n", out.Commits, len(out.Changed), state)
				return err
			})
		},
	}
	addJudge(c, &judge)
	c.Flags().StringArrayVar(&results, "results", nil, "results `files` of gatebot check, or a folder of them: what they measured of the trees of commits counts too")
	c.Flags().BoolVar(&every, "every-commit", false, "scan every commit that changes a source")
	c.Flags().StringArrayVar(&with, "with", nil, "`revision` of another branch whose log tells which fixes were picked from it")
	return c
}

// withFixLog opens the log of the repository around the current directory.
func withFixLog(ctx context.Context, judge string, f func(*gate.FixLog) error) error {
	l, err := gate.OpenFixLog(ctx, ".")
	if err != nil {
		return commandError(err)
	}
	defer func() { _ = l.Close() }() // only readers end with it
	if judge != "" {
		if err := l.JudgeWith(judge); err != nil {
			return commandError(err)
		}
	}
	return f(l)
}

func addJudge(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "config", "", "configuration `file` for every commit, instead of each commit's own (for history that is older than it)")
}

// first is the first argument, or nothing.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func newFixlogVerify(s streams) *cobra.Command {
	var judge string
	c := &cobra.Command{
		Use:   "verify [A..B]",
		Short: "Read history again and say where the log disagrees with it",
		Long: `Compares the findings of the commits that the log covers, or of A..B, anew, and lists fixes that the log lacks, entries
that fixed nothing of the kind, and states that are not what history has. Rows that people wrote cannot be checked and
are not. Exits 1 when anything is wrong.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withFixLog(c.Context(), judge, func(l *gate.FixLog) error {
				wrong, unclear, err := l.Verify(c.Context(), first(args))
				if err != nil {
					return commandError(err)
				}
				notes(s.err, unclear)
				text := "the log agrees with the history\n"
				if len(wrong) > 0 {
					text = strings.Join(wrong, "\n") + "\n"
				}
				if _, err := io.WriteString(s.out, text); err != nil {
					return err
				}
				if len(wrong) > 0 {
					return &exitError{code: exitFindings}
				}
				return nil
			})
		},
	}
	addJudge(c, &judge)
	return c
}

func newFixlogCollate(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "collate",
		Short: "Fold the fragments into the ledger and the document (mode fragments)",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withFixLog(c.Context(), "", func(l *gate.FixLog) error {
				said, err := l.Collate(c.Context())
				if err != nil {
					return commandError(err)
				}
				_, err = fmt.Fprintln(s.out, said)
				return err
			})
		},
	}
}

func newFixlogShow(s streams) *cobra.Command {
	var format string
	var open bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Print the log as it is in the ledger",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "markdown" && format != "json" {
				return usagef("--format %q is none of markdown, json", format)
			}
			return withFixLog(c.Context(), "", func(l *gate.FixLog) error {
				if open {
					return showOpen(s.out, l)
				}
				if format == "json" {
					return l.Ledger.Encode(s.out)
				}
				doc, err := l.Render()
				if err != nil {
					return err
				}
				_, err = s.out.Write(doc)
				return err
			})
		},
	}
	c.Flags().StringVar(&format, "format", "markdown", "markdown, or json (one record a line)")
	c.Flags().BoolVar(&open, "open", false, "print what this clone's commits fixed and have not landed yet")
	return c
}

func showOpen(w io.Writer, l *gate.FixLog) error {
	for _, r := range l.Ledger.Records {
		if r.State != fixlog.Open {
			continue
		}
		if _, err := fmt.Fprintf(w, "%.7s  %s\n", r.Commit, r.Description); err != nil {
			return err
		}
	}
	return nil
}
