// Command gatebot-gpu is the part of gatebot that talks to CUDA. It is started as a child by gatebot and may die; what
// it found is the JSON on its standard output.
//
// Exit codes: 0 done, 1 the canary failed, 2 usage, 3 no device or no end.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

var version = "dev"

const usage = `usage: gatebot-gpu inventory [--json]
       gatebot-gpu canary [--json] [--device N]
       gatebot-gpu version
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	say := func(format string, a ...any) { _, _ = fmt.Fprintf(stderr, "gatebot-gpu: "+format+"\n", a...) }
	if len(args) == 0 {
		_, _ = io.WriteString(stderr, usage)
		return 2
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = io.WriteString(stderr, usage) }
	asJSON := flags.Bool("json", false, "")
	index := 0
	if args[0] == "canary" {
		flags.IntVar(&index, "device", 0, "")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		say("%s: what is %q (see gatebot-gpu without arguments)", args[0], flags.Arg(0))
		return 2
	}
	var err error
	code := 0
	switch args[0] {
	case "inventory":
		err = inventory(stdout, *asJSON)
	case "canary":
		code, err = canary(stdout, *asJSON, index)
	case "version":
		_, err = fmt.Fprintln(stdout, "gatebot-gpu", version)
	default:
		say("unknown command %q (see gatebot-gpu without arguments)", args[0])
		return 2
	}
	if err != nil {
		say("%s: %v", args[0], err)
		return 3
	}
	return code
}

func inventory(w io.Writer, asJSON bool) error {
	inv, err := device.Read()
	if err != nil {
		return err
	}
	if asJSON {
		return write(w, inv)
	}
	for _, d := range inv.Devices {
		_, err := fmt.Fprintf(w, "%d  %s  compute capability %s  %s  driver %s  CUDA %s  %d of %d MiB free  %s\n", d.Index, d.Name,
			d.ComputeCapability, d.UUID, inv.Driver, inv.CUDA, d.FreeBytes>>20, d.TotalBytes>>20, d.Error)
		if err != nil {
			return err
		}
	}
	return nil
}

// canary returns exit code 1 when the device does not show what the gate must see, 3 when it did not come to an end.
func canary(w io.Writer, asJSON bool, index int) (int, error) {
	r, err := device.Canary(index)
	if err != nil {
		return 0, err
	}
	if asJSON {
		err = write(w, r)
	} else {
		err = printReport(w, r)
	}
	switch r.Status {
	case finding.StatusPass:
		return 0, err
	case finding.StatusFail:
		return 1, err
	}
	return 3, err
}

func printReport(w io.Writer, r *device.Report) error {
	for _, s := range r.Steps {
		line := fmt.Sprintf("%-5s %s", s.Status, s.Name)
		if s.Reason != "" {
			line += ": " + s.Reason
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s on %s in %d ms\n", r.Status, r.Device.Name, r.DurationMS)
	return err
}

func write(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
