package rig

import (
	"errors"
	"fmt"
	"os"
)

const serveConfig = `app:
  id: 1
  private_key_file: app.pem
github:
  api_url: %[1]s/api/v3/
  content_per_minute: 400
webhook:
  secret_file: webhook.secret
listen:
  http: %[2]s
  queue: %[3]s
check:
  timeout: 2m
  families: false
  max_bundle: %[4]d
runners:
  - name: bench
    nkey: %[5]s
    pools: [default]
  - name: second
    nkey: %[6]s
    pools: [default]
clients:
  - name: ada
    nkey: %[7]s
    pools: [default]
`

func (r *Rig) writeConfigs(pem []byte) error {
	write := func(name, content string) error { return os.WriteFile(r.File(name), []byte(content), 0o600) }
	return errors.Join(
		write("app.pem", string(pem)),
		write("webhook.secret", r.Secret+"\n"),
		write("runner.nkey", r.keys[0].seed+"\n"), write("second.nkey", r.keys[1].seed+"\n"), write("client.nkey", r.keys[2].seed+"\n"),
		write("second.yaml", fmt.Sprintf(runnerConfig, r.Queue, r.File("second"), "second", "second")),
		write("client.yaml", fmt.Sprintf(clientConfig, r.Queue)),
		write("serve.yaml", fmt.Sprintf(serveConfig, r.GitHub.URL(), r.HTTP, r.Queue, r.MaxBundle, r.keys[0].public, r.keys[1].public, r.keys[2].public)),
		write("runner.yaml", fmt.Sprintf(runnerConfig, r.Queue, r.File("runner"), "bench", "runner")),
	)
}
