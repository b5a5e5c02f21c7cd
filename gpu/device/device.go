// Package device finds CUDA devices and proves, on a device, that stream capture refuses what the gate relies on it to
// refuse. Everything that touches the driver is built only with the tag cuda and is meant for one executable,
// cmd/gatebot-gpu: gorgonia.org/cu links libcuda and its init() ends the process when there is no usable device. Every
// other program calls Detect, ReadInventory and RunCanary, which start that executable as a child.
package device

import (
	"errors"

	"github.com/gatebot/gatebot/internal/finding"
)

// ErrNoCUDA is what there is no CUDA device comes down to: no gatebot-gpu, no driver, or a driver that sees no device.
// The error that wraps it says which.
var ErrNoCUDA = errors.New("no CUDA device")

// Schemas of what gatebot-gpu prints.
const (
	InventorySchema = "gatebot.inventory/v1"
	CanarySchema    = "gatebot.canary/v1"
)

// Inventory is what the driver of a machine sees.
type Inventory struct {
	Schema  string `json:"schema"`
	Driver  string `json:"driver"` // of the kernel module, "580.159.04"; empty when the kernel does not say
	CUDA    string `json:"cuda"`   // the newest CUDA the driver can run, "13.0"
	Devices []Info `json:"devices"`
}

// Info is one device. FreeBytes needs a context on the device; when none can be made Error says why and FreeBytes is 0.
type Info struct {
	Index             int    `json:"index"`
	Name              string `json:"name"`
	ComputeCapability string `json:"compute_capability"` // "9.0"
	UUID              string `json:"uuid"`               // as nvidia-smi writes it
	TotalBytes        int64  `json:"total_bytes"`
	FreeBytes         int64  `json:"free_bytes"`
	Error             string `json:"error,omitempty"`
}

// Device returns device i in the form that results files use.
func (inv *Inventory) Device(i int) *finding.Device {
	d := inv.Devices[i]
	return &finding.Device{Name: d.Name, ComputeCapability: d.ComputeCapability, Driver: inv.Driver, CUDA: inv.CUDA,
		UUID: d.UUID}
}
