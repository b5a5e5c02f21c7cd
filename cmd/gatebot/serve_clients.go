package main

import (
	"github.com/gatebot/gatebot/internal/queue"
	"github.com/gatebot/gatebot/webhook"
)

// clients are the developers who may send jobs of their own.
func clients(conf *webhook.Config) []queue.Client {
	list := make([]queue.Client, len(conf.Clients))
	for i, c := range conf.Clients {
		list[i] = queue.Client{Name: c.Name, Key: c.Key, Pools: c.Pools}
	}
	return list
}
