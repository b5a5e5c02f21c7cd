package kernel

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kinds of modules.
const (
	PTX    = "ptx"
	Cubin  = "cubin"
	Fatbin = "fatbin"
)

// Module is what can be read from a module without a driver.
type Module struct {
	Kind    string   `json:"kind"`
	Kernels []string `json:"kernels,omitempty"` // of a PTX or cubin; a fatbin may be compressed
	Target  string   `json:"target,omitempty"`  // "sm_90a", of a PTX or cubin
}

const (
	fatbinMagic  = 0xba55ed50
	elfCUDA      = 190 // EM_CUDA
	entrySection = ".text."
)

var (
	ptxEntry   = regexp.MustCompile(`(?m)^[^/\n]*\.entry\s+([\w$%]+)`)
	ptxVersion = regexp.MustCompile(`(?m)^\s*\.version\s+\d+\.\d+\s*$`)
	ptxTarget  = regexp.MustCompile(`(?m)^\s*\.target\s+(sm_\w+)`)
)

// Inspect tells what a file is.
func Inspect(image []byte) (*Module, error) {
	switch {
	case bytes.HasPrefix(image, []byte(elf.ELFMAG)):
		return cubin(image)
	case len(image) >= 4 && binary.LittleEndian.Uint32(image) == fatbinMagic:
		return &Module{Kind: Fatbin}, nil
	case ptxVersion.Match(image[:min(len(image), 1<<16)]):
		m := &Module{Kind: PTX}
		for _, e := range ptxEntry.FindAllSubmatch(image, -1) {
			m.Kernels = append(m.Kernels, string(e[1]))
		}
		if t := ptxTarget.FindSubmatch(image); t != nil {
			m.Target = string(t[1])
		}
		return m, nil
	}
	return nil, fmt.Errorf("neither PTX nor cubin nor fatbin (nvcc -ptx, -cubin or -fatbin makes one)")
}

func cubin(image []byte) (*Module, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	if f.Machine != elfCUDA {
		return nil, fmt.Errorf("an ELF file for %s and no cubin (a host object or library? nvcc -cubin makes one)", f.Machine)
	}
	m := &Module{Kind: Cubin}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, entrySection); ok {
			m.Kernels = append(m.Kernels, name)
		}
	}
	slices.Sort(m.Kernels)
	return m, nil
}

// Choose gives the name of the kernel to launch.
func (m *Module) Choose(name string) (string, error) {
	switch {
	case name != "" && (len(m.Kernels) == 0 || slices.Contains(m.Kernels, name)):
		return name, nil
	case name != "":
		return "", fmt.Errorf("no kernel %s in the module (it has %s)", name, strings.Join(m.Kernels, ", "))
	case len(m.Kernels) == 1:
		return m.Kernels[0], nil
	case len(m.Kernels) == 0:
		return "", fmt.Errorf("the spec names no kernel, and a %s does not tell (put its name into \"kernel\")", m.Kind)
	}
	return "", fmt.Errorf("the spec names no kernel, and the module has %d: %s", len(m.Kernels), strings.Join(m.Kernels, ", "))
}
