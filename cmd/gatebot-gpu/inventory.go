package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/gatebot/gatebot/gpu/device"
)

func inventory(flags *flag.FlagSet, args []string, w io.Writer) (int, error) {
	asJSON := flags.Bool("json", false, "")
	if _, err := parse(flags, args); err != nil {
		return 0, err
	}
	inv, err := device.Read()
	if err != nil {
		return 0, err
	}
	if *asJSON {
		return 0, write(w, inv)
	}
	for _, d := range inv.Devices {
		_, err := fmt.Fprintf(w, "%d  %s  compute capability %s  %s  driver %s  CUDA %s  %d of %d MiB free  %s\n", d.Index, d.Name,
			d.ComputeCapability, d.UUID, inv.Driver, inv.CUDA, d.FreeBytes>>20, d.TotalBytes>>20, d.Error)
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// health prints what nvidia-smi says. It is here for scripts; gatebot itself asks without this program, which does not
// start when CUDA does not.
func health(flags *flag.FlagSet, args []string, w io.Writer) (int, error) {
	asJSON := flags.Bool("json", false, "")
	if _, err := parse(flags, args); err != nil {
		return 0, err
	}
	h, err := device.ReadHealth(context.Background())
	if err != nil {
		return 0, err
	}
	code := 0
	for i, d := range h.Devices {
		problems := h.Problems(i, device.Since)
		if !*asJSON {
			if _, err := fmt.Fprintf(w, "%d  %s  %s  %d of %d MiB free\n", d.Index, d.Name, d.UUID, d.FreeBytes>>20, d.TotalBytes>>20); err != nil {
				return 0, err
			}
		}
		for _, p := range problems {
			word := "warn"
			if p.Fatal {
				word, code = "FAIL", 1
			}
			if !*asJSON {
				if _, err := fmt.Fprintf(w, "   %s  %s (%s)\n", word, p.What, p.Do); err != nil {
					return 0, err
				}
			}
		}
	}
	if *asJSON {
		return code, write(w, h)
	}
	return code, nil
}
