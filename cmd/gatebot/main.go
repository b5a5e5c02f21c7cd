// Command gatebot gates every commit of a GPU inference repository on CUDA graph capture safety.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker (make build).
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], std())
	stop()
	os.Exit(code)
}
