package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gatebot/gatebot/checks/registry"
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook"
)

const longServe = `Runs the GitHub App: takes webhooks at /webhook, gives each commit one job, and posts check runs. The queue starts
inside, with its files below the data directory; nothing else needs to be installed.

A configuration (paths are relative to it):

    app: {id: 12345, private_key_file: app.pem}
    webhook: {secret_file: webhook.secret}
    listen: {http: "127.0.0.1:8080", queue: "0.0.0.0:4222"}
    data: /var/lib/gatebot
    runners:
      - {name: b200-0, nkey: UA..., pools: [default]}
    clients:                     # developers who may use gatebot fire
      - {name: alice, nkey: UB..., pools: [default]}

gatebot runner keygen makes the pair of keys for a runner.`

func newServe(s streams) *cobra.Command {
	var file, data string
	c := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "Run the GitHub App",
		Long:  longServe,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("serve: needs --config FILE (see gatebot serve --help)")
			}
			conf, err := webhook.LoadConfig(file)
			if err != nil {
				return &exitError{code: exitUsage, err: err}
			}
			if data != "" {
				conf.Data = data
			}
			return runServe(c.Context(), conf, newLog(s))
		},
	}
	c.AddCommand(storeCommands(s)...)
	c.Flags().StringVar(&file, "config", "", "configuration `file` of the server")
	c.Flags().StringVar(&data, "data", "", "`directory` for queue and mirrors, instead of the configuration's")
	return c
}

// openQueue starts the queue inside, or connects to the one that the configuration names.
func openQueue(ctx context.Context, conf *webhook.Config, runners []queue.Runner, log *slog.Logger) (queue.Queue, error) {
	pools := []string{conf.Check.Pool}
	if conf.Queue.URL == "" {
		return queue.OpenEmbedded(ctx, queue.EmbeddedOptions{
			Dir: filepath.Join(conf.Data, "queue"), Listen: conf.Listen.Queue, TLS: queue.TLS(conf.Listen.QueueTLS), Runners: runners, Clients: clients(conf),
			Pools: pools, MaxBytes: conf.Queue.MaxBytes, Log: log,
		})
	}
	q, err := queue.Connect(ctx, queue.Options{
		URL: conf.Queue.URL, Name: "gatebot-serve", SeedFile: conf.Queue.SeedFile, TLS: queue.TLS(conf.Queue.TLS), Role: queue.RoleServer,
		Replicas: conf.Queue.Replicas, MaxBytes: conf.Queue.MaxBytes, Log: log,
	})
	if err != nil {
		return nil, err
	}
	for _, r := range append(conf.Clients, conf.Runners...) {
		pools = append(pools, r.Pools...)
	}
	slices.Sort(pools)
	if err := errors.Join(q.EnsurePools(ctx, slices.Compact(pools)...), q.EnsureRunners(ctx, runners...)); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// ruleAnswer is a rule as an answer to a comment.
func ruleAnswer(id string) (string, bool) {
	for _, r := range registry.Rules {
		if r.ID == id {
			return fmt.Sprintf("**%s %s**: %s\n\n%s\n\n%s", r.ID, r.Name, r.Title, r.Text, r.Fix), true
		}
	}
	return "", false
}

func newLog(s streams) *slog.Logger { return slog.New(slog.NewTextHandler(s.err, nil)) }

func runServe(ctx context.Context, conf *webhook.Config, log *slog.Logger) (err error) {
	if conf.Data == "" {
		return usagef("serve: no data directory (set data, or --data DIR)")
	}
	o, err := webhook.FromConfig(conf)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find gatebot itself: %w", err)
	}
	q, err := openQueue(ctx, conf, queueRunners(conf), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	o.Queue, o.Scan, o.Inspect, o.Log = q, webhook.ChildScan(exe), webhook.ChildInspect(exe), log
	o.Explain, o.Rules = ruleAnswer, ruleInfo()
	server, err := webhook.New(o)
	if err != nil {
		return err
	}
	if conf.Check.OnInfra == "success" {
		log.Warn("check.on_infra_error is success: when infrastructure fails for good, commits pass without a verdict")
	}
	log.Info("serving", "admin", server.AdminURL(), "url", server.URL(), "queue", conf.Listen.Queue, "data", conf.Data, "version", version)
	return server.Run(ctx)
}
