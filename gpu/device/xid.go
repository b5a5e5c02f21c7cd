package device

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Xid is one error report of the NVIDIA driver in the kernel log.
type Xid struct {
	Bus  string        `json:"bus"` // "0000:18:00"
	Code int           `json:"code"`
	Text string        `json:"text"`
	Age  time.Duration `json:"age_ns"`
}

// Fault is what a number of the driver's reports says of the card, and not of the program that ran on it: a program's own
// faults, such as 13 and 31, are its business.
type Fault struct {
	What string
	// Reset is true when the device is not to be trusted until it was reset; whatever ran at the time of any fault is worth
	// nothing.
	Reset bool
}

// faults are by number, as the driver's documentation of Xid errors has them.
var faults = map[int]Fault{
	48: {"double-bit ECC error", true}, 61: {"internal microcontroller", false}, 62: {"internal microcontroller", false},
	63: {"memory rows remapped", false}, 64: {"row remapping failed", true}, 74: {"NVLink error", true}, 79: {"fallen off the bus", true},
	92: {"many corrected memory errors", false}, 94: {"contained memory error", false}, 95: {"uncontained ECC error", true},
	119: {"GSP does not answer", true}, 120: {"GSP error", true}, 140: {"uncorrectable ECC error", true}, 154: {"the GPU must be recovered", false},
}

// logSize bounds what is read of the kernel log.
const logSize = 16 << 20

// readXids reads the kernel log, which is root's in most places.
func readXids() (xids []Xid, why string) {
	f, err := openLog()
	if err != nil {
		return nil, err.Error()
	}
	defer func() { _ = f.Close() }() // only read
	up, err := uptime()
	if err != nil {
		return nil, err.Error()
	}
	return scanLog(func(buf []byte) (int, error) { return syscall.Read(int(f.Fd()), buf) }, up)
}

func openLog() (*os.File, error) {
	f, err := os.OpenFile("/dev/kmsg", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.New("the kernel log cannot be read (" + cause(err) + "; root can)")
	}
	return f, nil
}

// scanLog reads records of /dev/kmsg, one a read, until there is none.
func scanLog(read func([]byte) (int, error), up time.Duration) (xids []Xid, why string) {
	buf := make([]byte, 16<<10)
	for total := 0; total < logSize; {
		n, err := read(buf)
		switch {
		case errors.Is(err, syscall.EAGAIN) || err == nil && n == 0:
			return xids, ""
		case errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EINTR): // records were overwritten meanwhile
			total++
			continue
		case err != nil:
			return xids, "the kernel log cannot be read (" + err.Error() + ")"
		}
		total += n
		if x, ok := parseXid(string(buf[:n]), up); ok {
			xids = append(xids, x)
		}
	}
	return xids, ""
}

// A record is "priority,sequence,microseconds,flags;text".
var xidRecord = regexp.MustCompile(`^\d+,\d+,(\d+),[^;]*;NVRM: Xid \(PCI:([0-9a-fA-F:.]+)\): (\d+), ?(.*)`)

func parseXid(record string, up time.Duration) (Xid, bool) {
	m := xidRecord.FindStringSubmatch(firstLine(record))
	if m == nil {
		return Xid{}, false
	}
	us, err1 := strconv.ParseInt(m[1], 10, 53)
	code, err2 := strconv.Atoi(m[3])
	if err1 != nil || err2 != nil {
		return Xid{}, false
	}
	return Xid{Bus: strings.ToLower(m[2]), Code: code, Text: m[4], Age: max(0, up-time.Duration(us)*time.Microsecond)}, true
}

func uptime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	return time.Duration(seconds * float64(time.Second)), err
}

// cause is what the system said, without the path.
func cause(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
