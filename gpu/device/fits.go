package device

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// Fits says why a device is not what a configuration asks for (its device section), nil when it is. name is a part of the
// device's name, min the least compute capability; empty asks for nothing.
func Fits(d *finding.Device, name, min string) error {
	if !strings.Contains(strings.ToLower(d.Name), strings.ToLower(name)) {
		return fmt.Errorf("the device is %s, the configuration asks for %s", d.Name, name)
	}
	if min == "" {
		return nil
	}
	has, err := capability(d.ComputeCapability)
	if err != nil {
		return err
	}
	wants, err := capability(min)
	if err != nil {
		return err
	}
	if has < wants {
		return fmt.Errorf("the device, %s, has compute capability %s, the configuration asks for %s", d.Name, d.ComputeCapability, min)
	}
	return nil
}

// capability orders "9.0" before "10.0".
func capability(s string) (int, error) {
	major, minor, ok := strings.Cut(s, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if !ok || err1 != nil || err2 != nil || a < 0 || b < 0 || b > 99 {
		return 0, fmt.Errorf("compute capability %q is none (such as 10.0)", s)
	}
	return 100*a + b, nil
}
