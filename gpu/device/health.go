package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gatebot/gatebot/gpu/child"
)

// HealthSchema is that of a Health.
const HealthSchema = "gatebot.health/v1"

// ErrNoHealth is wrapped when nothing on this machine tells of the health of its devices.
var ErrNoHealth = errors.New("no nvidia-smi")

// healthTimeout bounds one call of nvidia-smi, which hangs with a driver that does.
const healthTimeout = 30 * time.Second

// Health is what the driver says of the devices beside what CUDA says.
//
// It comes from the CSV of nvidia-smi, a child, and not from NVML in this process: NVML is what nvidia-smi calls, but it
// hangs or dies with the driver, is reached from Go by cgo only, and gatebot-gpu, which has cgo, does not start when CUDA
// does not, which is when one asks for the health.
type Health struct {
	Schema  string `json:"schema"`
	Devices []Card `json:"devices"`
	Xids    []Xid  `json:"xids,omitempty"`    // of the kernel log, oldest first
	NoXids  string `json:"no_xids,omitempty"` // why the kernel log was not read
	Partly  string `json:"partly,omitempty"`  // what this nvidia-smi does not know
}

// Card is one device. Counters are nil where the device or the driver does not count.
type Card struct {
	Index             int       `json:"index"`
	Name              string    `json:"name"`
	UUID              string    `json:"uuid"`
	Bus               string    `json:"bus"` // "00000000:18:00.0"
	Driver            string    `json:"driver"`
	ComputeCapability string    `json:"compute_capability,omitempty"`
	TotalBytes        int64     `json:"total_bytes"`
	UsedBytes         int64     `json:"used_bytes"`
	FreeBytes         int64     `json:"free_bytes"`
	ECC               string    `json:"ecc,omitempty"` // Enabled, Disabled; empty: none
	Uncorrected       *int64    `json:"ecc_uncorrected,omitempty"`
	Corrected         *int64    `json:"ecc_corrected,omitempty"`
	UncorrectedEver   *int64    `json:"ecc_uncorrected_ever,omitempty"` // over the life of the card
	RowsPending       string    `json:"rows_pending,omitempty"`         // Yes: rows are remapped at the next reset
	RowsFailed        string    `json:"rows_failed,omitempty"`          // Yes: remapping failed
	ComputeMode       string    `json:"compute_mode,omitempty"`
	MIG               string    `json:"mig,omitempty"`
	Celsius           *int64    `json:"celsius,omitempty"`
	Processes         []Process `json:"processes"` // that the driver shows: not those of other containers
}

// Process is one process with a context on a device.
type Process struct {
	PID       int    `json:"pid"`
	Name      string `json:"name"`
	UsedBytes int64  `json:"used_bytes"` // -1: the driver does not say
}

var (
	baseFields = []string{"index", "name", "uuid", "pci.bus_id", "driver_version", "memory.total", "memory.used", "memory.free"}
	moreFields = []string{"compute_cap", "ecc.mode.current", "ecc.errors.uncorrected.volatile.total",
		"ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.aggregate.total", "compute_mode", "mig.mode.current",
		"temperature.gpu"}
	rowFields     = []string{"gpu_uuid", "remapped_rows.pending", "remapped_rows.failure"}
	processFields = []string{"pid", "gpu_uuid", "used_memory", "process_name"}
)

// ReadHealth asks nvidia-smi, and the kernel log where it can be read. It returns within two minutes also when the driver
// hangs.
func ReadHealth(ctx context.Context) (*Health, error) {
	h := &Health{Schema: HealthSchema}
	var err error
	if h.Devices, h.Partly, err = ReadCards(ctx, ""); err != nil {
		return nil, err
	}
	if len(h.Devices) == 0 {
		return nil, fmt.Errorf("%w: nvidia-smi shows none", ErrNoCUDA)
	}
	if err := h.rows(ctx); err != nil {
		return nil, err
	}
	h.Xids, h.NoXids = readXids()
	return h, nil
}

// ReadCards asks an nvidia-smi for its cards and the processes on them, in two calls; "" is the one on PATH. Partly says what
// this nvidia-smi does not know. It makes no context on any card, as gatebot-gpu would.
func ReadCards(ctx context.Context, smi string) (cards []Card, partly string, err error) {
	rows, err := query(ctx, smi, "gpu", append(append([]string{}, baseFields...), moreFields...))
	if errors.Is(err, errField) {
		partly = err.Error()
		rows, err = query(ctx, smi, "gpu", baseFields)
	}
	if err != nil {
		return nil, "", err
	}
	for _, row := range rows {
		d, err := parseDevice(row)
		if err != nil {
			return nil, "", fmt.Errorf("nvidia-smi: %w", err)
		}
		cards = append(cards, d)
	}
	if rows, err = query(ctx, smi, "compute-apps", processFields); err != nil {
		return nil, "", err
	}
	for _, row := range rows {
		p, err := parseProcess(row)
		if err != nil {
			return nil, "", fmt.Errorf("nvidia-smi: %w", err)
		}
		if d := findCard(cards, row[1]); d != nil {
			d.Processes = append(d.Processes, p)
		}
	}
	return cards, partly, nil
}

func findCard(cards []Card, uuid string) *Card {
	if i := slices.IndexFunc(cards, func(c Card) bool { return c.UUID == uuid }); i >= 0 {
		return &cards[i]
	}
	return nil
}

// rows adds remapped rows, which older cards and drivers do not have.
func (h *Health) rows(ctx context.Context) error {
	rows, err := query(ctx, "", "remapped-rows", rowFields)
	switch {
	case errors.Is(err, errField):
		h.Partly = strings.TrimPrefix(h.Partly+"; "+err.Error(), "; ")
	case err != nil:
		return err
	}
	for _, row := range rows {
		if d := findCard(h.Devices, row[0]); d != nil {
			d.RowsPending, d.RowsFailed = known(row[1]), known(row[2])
		}
	}
	return nil
}

// errField is wrapped when this nvidia-smi does not know what it was asked for.
var errField = errors.New("this nvidia-smi is older")

// query runs nvidia-smi --query-WHAT and gives its rows.
func query(ctx context.Context, smi, what string, fields []string) ([][]string, error) {
	exe, err := exec.LookPath(cmp.Or(smi, "nvidia-smi"))
	if err != nil {
		return nil, fmt.Errorf("%w: it comes with the driver (in a container, with the capability utility)", ErrNoHealth)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	ended, err := child.Run(ctx, child.Command{Path: exe, Env: []string{"LC_ALL=C"},
		Args: []string{"--query-" + what + "=" + strings.Join(fields, ","), "--format=csv,noheader,nounits"}})
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	text := strings.TrimSpace(ended.Stdout)
	switch {
	case ended.Code != 0 && (strings.Contains(text, "is not a valid field") || strings.Contains(text, "not recognized")):
		return nil, fmt.Errorf("%w: %s", errField, firstLine(text))
	case ended.Code != 0 && strings.Contains(text, "No devices were found"):
		return nil, fmt.Errorf("%w: nvidia-smi shows none", ErrNoCUDA)
	case ended.Code != 0:
		return nil, fmt.Errorf("nvidia-smi: exit code %d: %.300s", ended.Code, firstLine(strings.TrimSpace(text+"\n"+ended.Stderr)))
	}
	return parseRows(text, len(fields))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
