//go:build !cuda

package device

import (
	"fmt"

	"github.com/gatebot/gatebot/gpu/kernel"
)

// Read reports that this build cannot look.
func Read() (*Inventory, error) {
	return nil, fmt.Errorf("%w: built without the tag cuda", ErrNoCUDA)
}

// Canary reports that this build cannot look.
func Canary(int) (*Report, error) {
	return nil, fmt.Errorf("%w: built without the tag cuda", ErrNoCUDA)
}

// RunKernel reports that this build cannot look.
func RunKernel(int, []byte, *kernel.Spec, int) (*kernel.Report, error) {
	return nil, fmt.Errorf("%w: built without the tag cuda", ErrNoCUDA)
}
