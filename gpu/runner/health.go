package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
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

// card is how one device is.
type card struct {
	UUID        string
	Total, Used int64 // MiB of memory
	ECC         int64 // uncorrected errors since the driver was loaded, -1 when the card does not count
	Processes   []string
}

// smiFor is how long nvidia-smi may take. On a card that has fallen off the bus it hangs.
const smiFor = 30 * time.Second

// readCards asks nvidia-smi, which comes with every driver: gatebot-gpu would make a context of its own on the card and
// change what it looks at.
func readCards(ctx context.Context, smi string) (map[string]*card, error) {
	ctx, cancel := context.WithTimeout(ctx, smiFor)
	defer cancel()
	rows, err := query(ctx, smi, "--query-gpu=uuid,memory.total,memory.used,ecc.errors.uncorrected.volatile.total", 4)
	if err != nil {
		return nil, err
	}
	cards := map[string]*card{}
	for _, f := range rows {
		c := &card{UUID: f[0], ECC: -1}
		if c.Total, err = strconv.ParseInt(f[1], 10, 64); err != nil {
			return nil, fmt.Errorf("nvidia-smi: memory of %s: %q", f[0], f[1])
		}
		if c.Used, err = strconv.ParseInt(f[2], 10, 64); err != nil {
			return nil, fmt.Errorf("nvidia-smi: used memory of %s: %q", f[0], f[2])
		}
		if n, err := strconv.ParseInt(f[3], 10, 64); err == nil {
			c.ECC = n // else [N/A]
		}
		cards[c.UUID] = c
	}
	rows, err = query(ctx, smi, "--query-compute-apps=gpu_uuid,pid,process_name", 3)
	if err != nil {
		return nil, err
	}
	for _, f := range rows {
		if c := cards[f[0]]; c != nil {
			c.Processes = append(c.Processes, f[1]+" "+f[2])
		}
	}
	return cards, nil
}

func query(ctx context.Context, smi, what string, fields int) ([][]string, error) {
	cmd := exec.CommandContext(ctx, smi, what, "--format=csv,noheader,nounits")
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("nvidia-smi does not answer within %s (is the driver hung?)", smiFor)
		}
		return nil, fmt.Errorf("nvidia-smi: %w: %s", err, strings.TrimSpace(out.String()+errs.String()))
	}
	return parseCSV(out.Bytes(), fields)
}

// parseCSV reads nvidia-smi's lines. A process name may hold commas, so the last field is the rest of the line.
func parseCSV(data []byte, fields int) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		f := strings.SplitN(line, ",", fields)
		if len(f) != fields {
			return nil, fmt.Errorf("nvidia-smi: line %q has not %d fields", line, fields)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		rows = append(rows, f)
	}
	return rows, nil
}

// look reads this runner's cards; one that is missing is an error.
func (r *runner) look(ctx context.Context) ([]*card, error) {
	smi := r.SMI
	if smi == "" {
		smi = "nvidia-smi"
	}
	all, err := readCards(ctx, smi)
	if err != nil {
		return nil, err
	}
	var mine []*card
	for _, g := range r.machine.gpus {
		c := all[g.UUID]
		if c == nil {
			return nil, fmt.Errorf("GPU %s is gone (nvidia-smi does not list it)", g.UUID)
		}
		mine = append(mine, c)
	}
	return mine, nil
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
	return r.xids.bad()
}

func (r *runner) fitCard(c *card) error {
	if len(c.Processes) > 0 {
		return fmt.Errorf("GPU %s is used by process %s", c.UUID, strings.Join(c.Processes, ", "))
	}
	if free := c.Total - c.Used; float64(free) < r.Health.MinFree*float64(c.Total) {
		return fmt.Errorf("GPU %s has %d of %d MiB free, less than the %.0f %% that a job needs", c.UUID, free, c.Total, 100*r.Health.MinFree)
	}
	if old, ok := r.ecc[c.UUID]; ok && c.ECC > old {
		return fmt.Errorf("GPU %s has %d uncorrected memory errors more than before", c.UUID, c.ECC-old)
	}
	return nil
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
		r.ecc[c.UUID] = c.ECC
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
		if xid := r.xids.bad(); xid != nil {
			return fmt.Errorf("%w: %w", errHardware, xid)
		}
		var cards []*card
		if cards, err = r.look(ctx); err != nil {
			return fmt.Errorf("%w: %w", errHardware, err)
		}
		for _, c := range cards {
			if old, ok := r.ecc[c.UUID]; ok && c.ECC > old {
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
