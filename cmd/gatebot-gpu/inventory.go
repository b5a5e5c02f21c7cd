package main

import (
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
