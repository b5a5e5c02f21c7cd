package device

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Problem is something that keeps a device from being trusted (Fatal), or that whoever reads a result should know.
type Problem struct {
	Fatal bool   `json:"fatal"`
	What  string `json:"what"`
	Do    string `json:"do"`
}

// Since is how far back the kernel log is believed to speak of the device as it is now.
const Since = 24 * time.Hour

// Problems judges one device. Reports in the kernel log count when they are younger than since.
func (h *Health) Problems(index int, since time.Duration) []Problem {
	if index < 0 || index >= len(h.Devices) {
		return []Problem{{true, fmt.Sprintf("there is no device %d", index), "see nvidia-smi -L"}}
	}
	d := &h.Devices[index]
	var out []Problem
	add := func(fatal bool, do, format string, args ...any) {
		out = append(out, Problem{fatal, fmt.Sprintf(format, args...), do})
	}
	const reset = "stop what runs on it and reset it: nvidia-smi -r, else a reboot"
	if d.Uncorrected != nil && *d.Uncorrected > 0 {
		add(true, reset, "%d uncorrected ECC errors since the last reset", *d.Uncorrected)
	}
	if d.RowsFailed == "Yes" {
		add(true, "have the card replaced", "remapping of memory rows failed")
	}
	if d.RowsPending == "Yes" {
		add(true, reset, "memory rows wait to be remapped")
	}
	if d.ComputeMode == "Prohibited" {
		add(true, "nvidia-smi -c 0 lets programs use it", "its compute mode is Prohibited")
	}
	for _, x := range h.Xids {
		if !sameBus(x.Bus, d.Bus) || x.Age > since {
			continue
		}
		if f := faults[x.Code]; f.Reset {
			add(true, reset, "Xid %d %s ago: %s (%s)", x.Code, x.Age.Round(time.Minute), f.What, x.Text)
		} else {
			add(false, "most are the fault of a program; the driver's documentation has Xid errors", "Xid %d %s ago: %s", x.Code,
				x.Age.Round(time.Minute), x.Text)
		}
	}
	if n := len(d.Processes); n > 0 {
		p := d.Processes[0]
		add(false, "figures of speed are no benchmark, and memory may run out", "%d other processes on the card, such as %d %s", n, p.PID, p.Name)
	} else if d.TotalBytes > 0 && d.UsedBytes > d.TotalBytes/10 {
		add(false, "another container may use it", "%d of %d MiB are in use and no process is shown", d.UsedBytes>>20, d.TotalBytes>>20)
	}
	if d.MIG == "Enabled" {
		add(false, "name the instance in CUDA_VISIBLE_DEVICES", "it is cut into MIG instances")
	}
	return out
}

// sameBus compares addresses: the kernel log has 0000:18:00, nvidia-smi 00000000:18:00.0, Linux 0000:18:00.0.
func sameBus(one, other string) bool {
	one, _, _ = strings.Cut(strings.ToLower(one), ".")
	other, _, _ = strings.Cut(strings.ToLower(other), ".")
	a, b := strings.Split(one, ":"), strings.Split(other, ":")
	if len(a) != 3 || len(b) != 3 {
		return false
	}
	x, err1 := strconv.ParseUint(a[0], 16, 32)
	y, err2 := strconv.ParseUint(b[0], 16, 32)
	return err1 == nil && err2 == nil && x == y && a[1] == b[1] && a[2] == b[2]
}

// Find gives the index into Devices of a UUID, -1 when nvidia-smi does not show it. The order of nvidia-smi is not that
// of CUDA.
func (h *Health) Find(uuid string) int {
	return slices.IndexFunc(h.Devices, func(d Card) bool { return d.UUID == uuid })
}
