package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/internal/queue"
)

// Health says how a device is looked at before and after every job.
type Health struct {
	Off     bool          // not at all
	MinFree float64       // share of its memory that must be free before a job; default 0.9
	Canary  time.Duration // how long a canary's word counts; default 10 min
	Settle  time.Duration // how long memory and processes may take to be gone after a job; default 20 s
	Reset   []string      // command of the operator's that is run before a quarantined device is looked at again
	Retry   time.Duration // between such looks: this long at first, then doubling up to sixteenfold; default 1 min
}

func (h *Health) fill() {
	if h.MinFree <= 0 {
		h.MinFree = 0.9
	}
	for d, v := range map[*time.Duration]time.Duration{&h.Canary: 10 * time.Minute, &h.Settle: 20 * time.Second, &h.Retry: time.Minute} {
		if *d <= 0 {
			*d = v
		}
	}
}

// look reads this runner's cards; one that is missing is an error.
func (r *runner) look(ctx context.Context) ([]*device.Card, error) {
	all, _, err := device.ReadCards(ctx, r.SMI) // what an old nvidia-smi leaves out is not counted
	if err != nil {
		return nil, err
	}
	var mine []*device.Card
	for _, g := range r.machine.gpus {
		i := slices.IndexFunc(all, func(c device.Card) bool { return c.UUID == g.UUID })
		if i < 0 {
			return nil, fmt.Errorf("GPU %s is gone (nvidia-smi does not list it)", g.UUID)
		}
		mine = append(mine, &all[i])
	}
	r.cards = cardStates(mine, time.Now().UTC())
	return mine, nil
}

// cardStates is what the server is told of the cards.
func cardStates(cards []*device.Card, now time.Time) []queue.CardState {
	var out []queue.CardState
	for _, c := range cards {
		out = append(out, queue.CardState{Name: c.Name, UUID: c.UUID, Driver: c.Driver, TotalBytes: c.TotalBytes, UsedBytes: c.UsedBytes, Celsius: c.Celsius,
			Uncorrected: c.Uncorrected, Processes: len(c.Processes), At: now})
	}
	return out
}

// fit is nil when a job can start: nobody else on the cards, their memory free, no error since the runner started.
func (r *runner) fit(ctx context.Context) error {
	if r.Health.Off || len(r.machine.gpus) == 0 {
		return nil
	}
	cards, err := r.look(ctx)
	if err != nil {
		return err
	}
	for _, c := range cards {
		if err := r.fitCard(c); err != nil {
			return err
		}
	}
	return r.xids.Bad()
}

func (r *runner) fitCard(c *device.Card) error {
	if len(c.Processes) > 0 {
		var names []string
		for _, p := range c.Processes {
			names = append(names, fmt.Sprintf("%d %s", p.PID, p.Name))
		}
		return fmt.Errorf("GPU %s is used by process %s", c.UUID, strings.Join(names, ", "))
	}
	if free := c.TotalBytes - c.UsedBytes; float64(free) < r.Health.MinFree*float64(c.TotalBytes) {
		return fmt.Errorf("GPU %s has %d of %d MiB free, less than the %.0f %% that a job needs", c.UUID, free>>20, c.TotalBytes>>20, 100*r.Health.MinFree)
	}
	if old, ok := r.ecc[c.UUID]; ok && uncorrected(c) > old {
		return fmt.Errorf("GPU %s has %d uncorrected memory errors more than before", c.UUID, uncorrected(c)-old)
	}
	return nil
}

// uncorrected are the memory errors since the driver was loaded, -1 when the card does not count.
func uncorrected(c *device.Card) int64 {
	if c.Uncorrected == nil {
		return -1
	}
	return *c.Uncorrected
}

// noteECC takes the present number of errors as the one to compare with.
func (r *runner) noteECC(ctx context.Context) {
	if r.Health.Off || len(r.machine.gpus) == 0 {
		return
	}
	cards, err := r.look(ctx)
	if err != nil {
		return // the look before the first job says what is wrong
	}
	r.ecc = map[string]int64{}
	for _, c := range cards {
		r.ecc[c.UUID] = uncorrected(c)
	}
}

// errHardware is what makes the verdict of the job that was running worthless.
var errHardware = errors.New("the device failed")

// settled is nil when the job has left the cards as it found them. What it left running takes a moment to be gone.
func (r *runner) settled(ctx context.Context) error {
	if r.Health.Off || len(r.machine.gpus) == 0 {
		return nil
	}
	var err error
	for deadline := time.Now().Add(r.Health.Settle); ; {
		if xid := r.xids.Bad(); xid != nil {
			return fmt.Errorf("%w: %w", errHardware, xid)
		}
		var cards []*device.Card
		if cards, err = r.look(ctx); err != nil {
			return fmt.Errorf("%w: %w", errHardware, err)
		}
		for _, c := range cards {
			if old, ok := r.ecc[c.UUID]; ok && uncorrected(c) > old {
				return fmt.Errorf("%w: %w", errHardware, r.fitCard(c))
			}
			if err == nil {
				err = r.fitCard(c)
			}
		}
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}
