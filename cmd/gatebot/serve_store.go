package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook"
)

const longBackup = `Writes everything that gatebot serve keeps (records, ledgers, events, jobs, results) into one file. The server must be stopped
for the seconds that it takes; what GitHub sends meanwhile is asked for again when it is back. The mirrors are not in it: they
are fetched anew.`

// storeCommands are about the queue's files and the accounts of an external one.
func storeCommands(s streams) []*cobra.Command {
	var file, data, to, from string
	conf := func() (*webhook.Config, error) {
		if file == "" {
			return nil, usagef("needs --config FILE (the one of gatebot serve)")
		}
		c, err := webhook.LoadConfig(file)
		if err != nil {
			return nil, &exitError{code: exitUsage, err: err}
		}
		if data != "" {
			c.Data = data
		}
		return c, nil
	}
	store := func() (string, error) {
		c, err := conf()
		switch {
		case err != nil:
			return "", err
		case c.Queue.URL != "":
			return "", usagef("the queue is %s: back it up with NATS's own tools (nats account backup)", c.Queue.URL)
		case c.Data == "":
			return "", usagef("no data directory (set data, or --data DIR)")
		}
		return filepath.Join(c.Data, "queue"), nil
	}
	backup := &cobra.Command{
		Use: "backup --config FILE --to FILE", Short: "Write the store of a stopped server into one file", Long: longBackup, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := store()
			if err != nil {
				return err
			}
			if to == "" {
				return usagef("backup: needs --to FILE")
			}
			return writeBackup(c.Context(), dir, to)
		},
	}
	backup.Flags().StringVar(&to, "to", "", "`file` to write")
	restore := &cobra.Command{
		Use: "restore --config FILE --from FILE", Short: "Make the store of a server out of a backup", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := store()
			if err != nil {
				return err
			}
			f, err := os.Open(from)
			if err != nil {
				return usagef("restore: %w", err)
			}
			return errors.Join(queue.Restore(c.Context(), dir, f), f.Close())
		},
	}
	restore.Flags().StringVar(&from, "from", "", "`file` to read")
	accounts := &cobra.Command{
		Use: "accounts --config FILE", Short: "Print the accounts of an external NATS server for these runners", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := conf()
			if err != nil {
				return err
			}
			if c.Queue.SeedFile == "" {
				return usagef("accounts: queue.seed_file is not set (gatebot runner keygen makes a pair of keys)")
			}
			text, err := queue.ExternalAccounts(c.Queue.SeedFile, queueRunners(c), clients(c))
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(s.out, text)
			return err
		},
	}
	all := []*cobra.Command{backup, restore, accounts}
	for _, c := range all {
		c.Flags().StringVar(&file, "config", "", "configuration `file` of the server")
		c.Flags().StringVar(&data, "data", "", "`directory` for queue and mirrors, instead of the configuration's")
	}
	return all
}

// writeBackup leaves a whole file or none.
func writeBackup(ctx context.Context, dir, to string) error {
	tmp := to + ".part"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(queue.Backup(ctx, dir, f), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, to)
}

func queueRunners(c *webhook.Config) []queue.Runner {
	runners := make([]queue.Runner, len(c.Runners))
	for i, r := range c.Runners {
		runners[i] = queue.Runner{Name: r.Name, Key: r.Key, Pools: r.Pools}
	}
	return runners
}
