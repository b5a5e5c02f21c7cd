package queue

import (
	"testing"
	"time"
)

// SetReviveEvery shortens the wait between tries to bring a store back, for one test that runs alone.
func SetReviveEvery(t *testing.T, d time.Duration) {
	old := reviveEvery
	reviveEvery = d
	t.Cleanup(func() { reviveEvery = old })
}
