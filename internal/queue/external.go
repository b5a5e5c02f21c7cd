package queue

import (
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nkeys"
)

// ExternalAccounts is the accounts section for the configuration of an external NATS server: the same walls between runners
// that the queue inside has. seedFile is the server's own key, of the user with all rights. $SYS is NATS's own account.
func ExternalAccounts(seedFile string, rs []Runner, cs []Client) (string, error) {
	seed, err := os.ReadFile(seedFile)
	if err != nil {
		return "", fmt.Errorf("queue: nkey seed: %w", err)
	}
	key, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
	if err != nil {
		return "", fmt.Errorf("queue: nkey seed %s: %w (expected one line that begins with SU)", seedFile, err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return "", fmt.Errorf("queue: nkey seed %s: %w", seedFile, err)
	}
	if err := checkRunners(rs); err != nil {
		return "", err
	}
	if err := checkClients(cs, rs); err != nil {
		return "", err
	}
	return fmt.Sprintf("# Include this in the configuration of every NATS node, beside jetstream, cluster and max_payload: %d.\n", MaxPayload) +
		accounts(public, rs, cs), nil
}
