package queuetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// Cluster is an external NATS cluster on loopback, such as operators run beside several servers.
type Cluster struct {
	t     *testing.T
	dir   string
	host  string
	nodes []*natsserver.Server
	opts  []*natsserver.Options
}

// StartCluster starts n nodes with JetStream, each with a store of its own, and waits until they are ready.
func StartCluster(t *testing.T, n int) *Cluster {
	t.Helper()
	c := NewCluster(t, n)
	for i := range n {
		c.Start(i)
	}
	c.Wait()
	return c
}

// NewCluster is a cluster of n nodes of which none is started.
func NewCluster(t *testing.T, n int) *Cluster {
	t.Helper()
	c := &Cluster{t: t, dir: t.TempDir()}
	c.host = OwnAddress(t)
	routes := ""
	var ports []int
	for range n {
		ports = append(ports, freePort(t, c.host))
		routes += fmt.Sprintf("nats://%s:%d,", c.host, ports[len(ports)-1])
	}
	for i := range n {
		c.opts = append(c.opts, &natsserver.Options{
			ServerName: fmt.Sprint("n", i), Host: c.host, Port: freePort(t, c.host), NoSigs: true, NoLog: true, JetStream: true, SyncAlways: true,
			StoreDir: filepath.Join(c.dir, fmt.Sprint(i)), JetStreamMaxStore: 2 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20,
			Cluster: natsserver.ClusterOpts{Name: "gate", Host: c.host, Port: ports[i]}, Routes: natsserver.RoutesFromStr(routes[:len(routes)-1]),
		})
		c.nodes = append(c.nodes, nil)
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.Stop(i)
		}
	})
	return c
}

// URL names every node.
func (c *Cluster) URL() string {
	s := ""
	for i, o := range c.opts {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf("nats://%s:%d", c.host, o.Port)
	}
	return s
}

// Start starts a node, also again after a Stop.
func (c *Cluster) Start(i int) {
	c.t.Helper()
	o := *c.opts[i]
	s, err := natsserver.NewServer(&o)
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.nodes[i] = s
	if !s.ReadyForConnections(2 * time.Minute) {
		c.t.Fatalf("node %d does not start", i)
	}
}

// Stop takes a node away.
func (c *Cluster) Stop(i int) {
	if s := c.nodes[i]; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		c.nodes[i] = nil
	}
}

// Wait waits until every running node follows one leader and knows all nodes, and the leader counts the running ones as
// online: a leader that was just elected does not, and a cluster that loses a node before all know each other may never
// elect one again.
func (c *Cluster) Wait() {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		why := c.unready()
		if why == "" {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the cluster is not ready: %s", why)
		}
	}
}

func (c *Cluster) unready() string {
	running, online := 0, 0
	for i, s := range c.nodes {
		if s == nil {
			continue
		}
		running++
		online = max(online, len(s.JetStreamClusterPeers())) // none, where it is not the leader
		groups := s.Raftz(&natsserver.RaftzOptions{GroupFilter: "_meta_"})
		if groups == nil {
			return fmt.Sprintf("node %d has no group", i)
		}
		for _, account := range *groups {
			meta := account["_meta_"]
			if meta.Leader == "" || len(meta.Peers) != len(c.nodes)-1 {
				return fmt.Sprintf("node %d has leader %q and %d peers", i, meta.Leader, len(meta.Peers))
			}
			for id, p := range meta.Peers {
				if !p.Known {
					return fmt.Sprintf("node %d does not know %s", i, id)
				}
			}
		}
	}
	if online != running {
		return fmt.Sprintf("%d of %d running nodes are online", online, running)
	}
	return ""
}

// OwnAddress is one that nothing else on this machine uses, so that a node that is started again finds its port free: on
// Linux all of 127.0.0.0/8 is this machine. Elsewhere it is the usual one.
func OwnAddress(t *testing.T) string {
	t.Helper()
	host := fmt.Sprintf("127.%d.%d.%d", 1+rand.N(254), rand.N(256), 1+rand.N(254))
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "127.0.0.1"
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return host
}

func freePort(t *testing.T, host string) int {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
