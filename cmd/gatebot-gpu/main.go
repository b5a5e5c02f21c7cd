// Command gatebot-gpu is the part of gatebot that talks to CUDA. It is started as a child by gatebot and may die; what
// it found is the JSON on its standard output.
//
// Exit codes: 0 done, 1 the canary or the kernel failed, or a device is not to be trusted, 2 usage, 3 no device or no end.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

var version = "dev"

const usage = `usage: gatebot-gpu inventory [--json]
       gatebot-gpu health [--json]
       gatebot-gpu canary [--json] [--device N] [--python EXE|none] [--require-python] [--timeout D] [--keep DIR]
       gatebot-gpu kernel MODULE --launch SPEC [--json] [--device N] [--replays N] [--timeout D]
       gatebot-gpu version

kernel runs one kernel of a PTX, cubin or fatbin file in eager mode, in a capture and in replays, and compares the bytes.
SPEC is a file, or JSON itself, such as
  {"kernel": "scale", "grid": [16], "block": [256],
   "args": [{"buffer": "x", "type": "f32", "count": 4096, "fill": "random"},
            {"buffer": "y", "type": "f32", "count": 4096, "output": true},
            {"type": "f32", "value": 2.5}, {"type": "i32", "value": 4096}]}
docs/kernel.md has all of it.
`

// usageError is the caller's mistake.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	say := func(format string, a ...any) { _, _ = fmt.Fprintf(stderr, "gatebot-gpu: "+format+"\n", a...) }
	if len(args) == 0 {
		_, _ = io.WriteString(stderr, usage)
		return 2
	}
	command, ok := map[string]func(flags *flag.FlagSet, args []string, stdout io.Writer) (int, error){
		"inventory": inventory, "health": health, "canary": canaryCommand, "kernel": kernelCommand, "version": versionCommand,
	}[args[0]]
	if !ok {
		say("unknown command %q (see gatebot-gpu without arguments)", args[0])
		return 2
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = io.WriteString(stderr, usage) }
	code, err := command(flags, args[1:], stdout)
	var mistake usageError
	switch {
	case errors.Is(err, flag.ErrHelp), errors.Is(err, errFlags):
		return 2 // the flag package has said it
	case errors.As(err, &mistake):
		say("%s: %v", args[0], err)
		return 2
	case err != nil:
		say("%s: %v", args[0], err)
		return 3
	}
	return code
}

// errFlags is what the flag package complained about itself.
var errFlags = errors.New("flags")

// parse reads flags before and after the arguments and gives the arguments, of which there must be want.
func parse(flags *flag.FlagSet, args []string, want ...string) ([]string, error) {
	var rest []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, errors.Join(errFlags, err)
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		rest, args = append(rest, args[0]), args[1:]
	}
	if len(rest) > len(want) {
		return nil, usagef("what is %q (see gatebot-gpu without arguments)", rest[len(want)])
	}
	if len(rest) < len(want) {
		return nil, usagef("%s is missing (see gatebot-gpu without arguments)", want[len(rest)])
	}
	return rest, nil
}

func versionCommand(flags *flag.FlagSet, args []string, w io.Writer) (int, error) {
	if _, err := parse(flags, args); err != nil {
		return 0, err
	}
	_, err := fmt.Fprintln(w, "gatebot-gpu", version)
	return 0, err
}

func write(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
