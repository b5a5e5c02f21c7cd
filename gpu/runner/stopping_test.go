package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestStopping: a failure just before the word to stop is part of the stop; one that no such word follows is not.
func TestStopping(t *testing.T) {
	for after, want := range map[time.Duration]bool{0: true, stopFor - time.Millisecond: true, stopFor + time.Millisecond: false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			timer := time.AfterFunc(after, cancel)
			if got := stopping(ctx); got != want {
				t.Errorf("word after %s: %v, want %v", after, got, want)
			}
			timer.Stop()
			cancel()
		})
	}
}
