package device

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// XidLog follows the kernel log for faults of some cards. The zero value follows nothing.
type XidLog struct {
	read func([]byte) (int, error)
	file *os.File
	bus  []string
	seen []string
}

// FollowXids begins at the end of the log: what was before is nobody's who asks now. Where the log may not be read
// (kernel.dmesg_restrict) it gives an XidLog that sees nothing, and the error.
func FollowXids(buses []string) (*XidLog, error) {
	if len(buses) == 0 {
		return &XidLog{}, nil
	}
	f, err := openLog()
	if err != nil {
		return &XidLog{}, err
	}
	if _, err := f.Seek(0, 2); err != nil {
		return &XidLog{}, errors.Join(fmt.Errorf("kernel log: %w", err), f.Close())
	}
	return &XidLog{file: f, bus: buses, read: func(buf []byte) (int, error) { return syscall.Read(int(f.Fd()), buf) }}, nil
}

// FollowRecords is FollowXids over records that read gives one at a time, and then syscall.EAGAIN: for tests.
func FollowRecords(buses []string, read func([]byte) (int, error)) *XidLog {
	return &XidLog{bus: buses, read: read}
}

// Bad is the faults of the cards since Reset; nil when there was none.
func (x *XidLog) Bad() error {
	if x == nil || x.read == nil {
		return nil
	}
	xids, _ := scanLog(x.read, time.Duration(0)) // what cannot be read now is read the next time
	for _, r := range xids {
		f, bad := faults[r.Code]
		if bad && slices.ContainsFunc(x.bus, func(b string) bool { return sameBus(r.Bus, b) }) {
			x.seen = append(x.seen, fmt.Sprintf("Xid %d of %s: %s", r.Code, r.Bus, f.What))
		}
	}
	if len(x.seen) == 0 {
		return nil
	}
	return errors.New(strings.Join(x.seen, "; "))
}

// Reset forgets what was seen.
func (x *XidLog) Reset() {
	if x != nil {
		x.seen = nil
	}
}

// Close ends the reading.
func (x *XidLog) Close() {
	if x != nil && x.file != nil {
		_ = x.file.Close() // only read
	}
}
