package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GPU is one NVIDIA device as the kernel driver lists it, without any library.
type GPU struct {
	UUID string // GPU-…
	Bus  string // PCI address
	Name string
	Node string // /dev/nvidiaN
}

// procGPUs is a variable for tests.
var procGPUs = "/proc/driver/nvidia/gpus"

// GPUs lists the devices of this machine in the order of their nodes. None is no error.
func GPUs() ([]GPU, error) {
	files, err := filepath.Glob(filepath.Join(procGPUs, "*", "information"))
	if err != nil {
		return nil, err
	}
	var all []GPU
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("list of GPUs: %w", err)
		}
		g := GPU{UUID: field(data, "GPU UUID"), Bus: field(data, "Bus Location"), Name: field(data, "Model")}
		minor := field(data, "Device Minor")
		if g.UUID == "" || minor == "" {
			return nil, fmt.Errorf("list of GPUs: %s names neither UUID nor minor number (%.200q)", name, data)
		}
		g.Node = "/dev/nvidia" + minor
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b GPU) int {
		if len(a.Node) != len(b.Node) {
			return len(a.Node) - len(b.Node)
		}
		return strings.Compare(a.Node, b.Node)
	})
	return all, nil
}

// Pick finds the device that a configuration names by its UUID (or the beginning of one), its node or number, or its
// PCI address; with an empty name the only one there is.
func Pick(all []GPU, name string) (GPU, error) {
	var found []GPU
	for _, g := range all {
		if name == "" || strings.HasPrefix(g.UUID, name) || g.Node == name || g.Node == "/dev/nvidia"+name || strings.EqualFold(g.Bus, name) {
			found = append(found, g)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(all) == 0:
		return GPU{}, fmt.Errorf("GPU: this machine has none (no driver, or no device)")
	case len(found) == 0:
		return GPU{}, fmt.Errorf("GPU %q: this machine has %s", name, names(all))
	}
	return GPU{}, fmt.Errorf("GPU %q: it could be any of %s (name one; a runner drives one GPU)", name, names(found))
}

func names(all []GPU) string {
	var list []string
	for _, g := range all {
		list = append(list, g.UUID+" ("+g.Node+")")
	}
	return strings.Join(list, ", ")
}

// shared are the nodes that every CUDA process opens beside that of its device.
var shared = []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// Nodes are the device nodes that a job on this GPU gets.
func (g GPU) Nodes() []string { return append([]string{g.Node}, shared...) }
