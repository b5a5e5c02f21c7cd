//go:build cuda

package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/gatebot/gatebot/gpu/kernel"
)

// Each buffer lies between two guards, so that a kernel that writes out of bounds is found at once.
const (
	guardBytes = 256 // keeps the buffer aligned as an allocation is
	guardByte  = 0xa5
)

type buffer struct {
	arg      *kernel.Arg
	at       cu.DevicePtr // of the first guard
	size     int64
	compared bool
	fixed    []byte // the content when it is the same in every start state
}

// outputs are the contents of the compared buffers after a launch, in their order.
type outputs [][]byte

// arguments makes the buffers and gives the parameters as the kernel takes them.
func (k *run) arguments() ([][]byte, error) {
	var args [][]byte
	by := map[string]*buffer{}
	for i := range k.spec.Args {
		a := &k.spec.Args[i]
		if a.Buffer == "" {
			b, err := a.Pack()
			if err != nil {
				return nil, err
			}
			args = append(args, b)
			continue
		}
		b := by[a.Buffer]
		if b == nil {
			var err error
			if b, err = k.allocate(a); err != nil {
				return nil, err
			}
			by[a.Buffer] = b
			k.buffers = append(k.buffers, b)
		}
		args = append(args, binary.LittleEndian.AppendUint64(nil, uint64(b.at)+guardBytes))
	}
	return args, nil
}

func (k *run) allocate(a *kernel.Arg) (*buffer, error) {
	b := &buffer{arg: a, compared: k.spec.Compared(a.Buffer)}
	one, err := a.Content(0, 0)
	if err != nil {
		return nil, err
	}
	if b.size = int64(len(one)); a.Fill.How != "random" {
		b.fixed = one
	}
	if b.at, err = cu.MemAlloc(b.size + 2*guardBytes); err != nil {
		return nil, fmt.Errorf("buffer %s: cuMemAlloc of %d bytes: %w", a.Buffer, b.size, err)
	}
	return b, nil
}

// reset puts all buffers and guards into a start state.
func (k *run) reset(state int) error {
	guard := bytes.Repeat([]byte{guardByte}, guardBytes)
	for _, b := range k.buffers {
		content := b.fixed
		if content == nil {
			var err error
			if content, err = b.arg.Content(uint64(state), 0); err != nil {
				return err
			}
		}
		all := append(append(append(make([]byte, 0, len(content)+2*guardBytes), guard...), content...), guard...)
		if err := cu.MemcpyHtoD(b.at, unsafe.Pointer(unsafe.SliceData(all)), int64(len(all))); err != nil {
			return fmt.Errorf("buffer %s: cuMemcpyHtoD: %w", b.arg.Buffer, err)
		}
	}
	return nil
}

// read gives the compared buffers, and says which buffer's guard was written to.
func (k *run) read() (out outputs, overrun string, err error) {
	for _, b := range k.buffers {
		all := make([]byte, b.size+2*guardBytes)
		if err := cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(all)), b.at, int64(len(all))); err != nil {
			return nil, "", fmt.Errorf("buffer %s: cuMemcpyDtoH: %w", b.arg.Buffer, err)
		}
		content := all[guardBytes : guardBytes+b.size]
		if i := written(all[:guardBytes]); i >= 0 && overrun == "" {
			overrun = fmt.Sprintf("it wrote %d bytes before the beginning of buffer %s", guardBytes-i, b.arg.Buffer)
		}
		if i := written(all[guardBytes+b.size:]); i >= 0 && overrun == "" {
			overrun = fmt.Sprintf("it wrote at byte %d of buffer %s, which has %d", b.size+int64(i), b.arg.Buffer, b.size)
		}
		if b.compared {
			out = append(out, content)
		}
	}
	return out, overrun, nil
}

// differ says where outputs differ from those of an eager launch.
func (k *run) differ(got, want outputs) string {
	i := 0
	for _, b := range k.buffers {
		if !b.compared {
			continue
		}
		if why := b.arg.Differ(got[i], want[i]); why != "" {
			return why
		}
		i++
	}
	return ""
}

// written gives the first byte of a guard that is not as it was, -1 when all are.
func written(guard []byte) int {
	return slices.IndexFunc(guard, func(b byte) bool { return b != guardByte })
}
