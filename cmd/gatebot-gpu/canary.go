package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/gatebot/gatebot/gpu/canary"
	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/finding"
)

// canaryCommand returns exit code 1 when the device does not show what the gate must see, 3 when it did not come to an
// end.
func canaryCommand(flags *flag.FlagSet, args []string, w io.Writer) (int, error) {
	var o canary.Options
	asJSON := flags.Bool("json", false, "")
	index := flags.Int("device", 0, "")
	flags.StringVar(&o.Python, "python", "python3", "")
	flags.BoolVar(&o.Require, "require-python", false, "")
	flags.StringVar(&o.Keep, "keep", "", "")
	flags.DurationVar(&o.Timeout, "timeout", 3*time.Minute, "")
	if _, err := parse(flags, args); err != nil {
		return 0, err
	}
	if o.Require && o.Python == canary.None || o.Timeout <= 0 {
		return 0, usagef("--require-python excludes --python none, and --timeout is more than nothing")
	}
	r, err := device.Canary(*index)
	if err != nil {
		return 0, err
	}
	canary.Add(context.Background(), r, o)
	if *asJSON {
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
	if p := r.Python; p != nil {
		line := fmt.Sprintf("%-5s python part: %s, torch %s, CUDA %s", p.Status, p.Version, p.Torch, p.CUDA)
		if p.Torch == "" {
			line = fmt.Sprintf("%s python part: %s", p.Status, p.Reason)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	line := fmt.Sprintf("%s on %s in %d ms", r.Status, r.Device.Name, r.DurationMS)
	if r.Reason != "" {
		line += ": " + r.Reason
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
