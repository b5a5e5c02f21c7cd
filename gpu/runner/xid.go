package runner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// hardware are the numbers of the driver's messages (Xid) that are about the card and not about the program that ran on
// it: a program's own faults, such as 13 and 31, are its business.
var hardware = map[int]string{
	48: "uncorrected memory error", 61: "internal microcontroller", 62: "internal microcontroller", 63: "memory rows remapped",
	64: "memory rows cannot be remapped", 74: "NVLink error", 79: "the GPU has fallen off the bus", 92: "many corrected memory errors",
	94: "contained memory error", 95: "uncontained memory error", 119: "the GPU's own processor does not answer",
	120: "error of the GPU's own processor", 140: "unrecovered memory error", 154: "the GPU must be recovered",
}

var xidLine = regexp.MustCompile(`NVRM: Xid \(PCI:([0-9A-Fa-f:.]+)\): (\d+)`)

// parseXid reads one line of the kernel's log.
func parseXid(line string) (bus string, number int, ok bool) {
	m := xidLine.FindStringSubmatch(line)
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, err == nil
}

// xidLog follows the kernel's log. Where it may not be read (kernel.dmesg_restrict) it sees nothing.
type xidLog struct {
	fd   int // 0: none
	bus  []string
	seen []string
}

// openXids begins at the end of the log: what was before is no job's.
func openXids(buses []string) (*xidLog, error) {
	if len(buses) == 0 {
		return &xidLog{}, nil
	}
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &xidLog{}, fmt.Errorf("kernel log: %w", err)
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_END); err != nil {
		_ = unix.Close(fd)
		return &xidLog{}, fmt.Errorf("kernel log: %w", err)
	}
	return &xidLog{fd: fd, bus: buses}, nil
}

// bad is the first hardware fault of our cards since reset.
func (x *xidLog) bad() error {
	if x == nil || x.fd == 0 {
		return nil
	}
	buf := make([]byte, 8192)
	for {
		n, err := unix.Read(x.fd, buf) // one line a read
		if errors.Is(err, unix.EPIPE) {
			continue // lines were overwritten before we came
		}
		if err != nil || n <= 0 {
			break
		}
		x.add(string(buf[:n]))
	}
	if len(x.seen) == 0 {
		return nil
	}
	return errors.New(strings.Join(x.seen, "; "))
}

func (x *xidLog) add(line string) {
	bus, number, ok := parseXid(line)
	what := hardware[number]
	if !ok || what == "" || !slices.ContainsFunc(x.bus, func(b string) bool { return sameBus(b, bus) }) {
		return
	}
	x.seen = append(x.seen, fmt.Sprintf("Xid %d of %s: %s", number, bus, what))
}

// sameBus compares PCI addresses; the driver leaves out the function, and sometimes zeros of the domain.
func sameBus(a, b string) bool {
	short := func(s string) string {
		s, _, _ = strings.Cut(strings.ToLower(s), ".")
		return strings.TrimLeft(s, "0")
	}
	return short(a) == short(b)
}

// reset forgets what was seen.
func (x *xidLog) reset() {
	if x != nil {
		x.seen = nil
	}
}

func (x *xidLog) close() {
	if x != nil && x.fd != 0 {
		_ = unix.Close(x.fd)
	}
}
