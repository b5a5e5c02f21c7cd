package device

import (
	"strings"
	"syscall"
	"testing"
)

// records gives each record once, as /dev/kmsg does, and more when they are appended.
func records(lines *[]string) func([]byte) (int, error) {
	return func(buf []byte) (int, error) {
		if len(*lines) == 0 {
			return 0, syscall.EAGAIN
		}
		n := copy(buf, (*lines)[0])
		*lines = (*lines)[1:]
		return n, nil
	}
}

// TestXidLog: only faults of the card itself, only of our card.
func TestXidLog(t *testing.T) {
	for line, want := range map[string]bool{
		"NVRM: Xid (PCI:0000:00:06): 79, GPU has fallen off the bus": true,
		"NVRM: Xid (PCI:0000:00:06.0): 48, DBE":                      true,
		"NVRM: Xid (PCI:00000000:00:06): 95, uncontained":            true,
		"NVRM: Xid (PCI:0000:00:06): 94, contained":                  true,
		"NVRM: Xid (PCI:0000:00:06): 13, Graphics Exception":         false, // the program's
		"NVRM: Xid (PCI:0000:00:06): 31, MMU Fault":                  false,
		"NVRM: Xid (PCI:0000:00:07): 79, another card":               false,
		"NVRM: Xid (PCI:0000:00:06): 99999999999999999999":           false,
		"nothing of the kind":                                        false,
	} {
		lines := []string{"4,1,2,-;" + line + "\n"}
		x := FollowRecords([]string{"0000:00:06.0"}, records(&lines))
		if got := x.Bad() != nil; got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func TestXidLogRemembers(t *testing.T) {
	lines := []string{"4,1,2,-;NVRM: Xid (PCI:0000:AB:00): 63, rows\n"}
	x := FollowRecords([]string{"0000:ab:00.0"}, records(&lines))
	for range 2 {
		if err := x.Bad(); err == nil || err.Error() != "Xid 63 of 0000:ab:00: memory rows remapped" {
			t.Errorf("%v", err)
		}
	}
	lines = append(lines, "4,2,3,-;NVRM: Xid (PCI:0000:AB:00): 79, x\n")
	if err := x.Bad(); err == nil || !strings.Contains(err.Error(), "63") || !strings.Contains(err.Error(), "79") {
		t.Errorf("both: %v", err)
	}
	if x.Reset(); x.Bad() != nil {
		t.Errorf("forgotten: %v", x.Bad())
	}
	var none *XidLog
	none.Reset()
	none.Close()
	if none.Bad() != nil || new(XidLog).Bad() != nil {
		t.Error("nobody follows, and there is a fault")
	}
}

// TestFollowTheLog: where this machine lets us read its kernel log, reading it comes to an end.
func TestFollowTheLog(t *testing.T) {
	x, err := FollowXids([]string{"0000:00:06.0"})
	if err != nil {
		t.Skip(err)
	}
	defer x.Close()
	if err := x.Bad(); err != nil && !strings.Contains(err.Error(), "Xid") {
		t.Error(err)
	}
}
