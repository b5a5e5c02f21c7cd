package checks

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// keptField is the way a model of vLLM says that an input stays in host memory when the batch is moved to the device:
//
//	image_grid_thw=MultiModalFieldConfig.batched("image", keep_on_cpu=True)
var keptField = regexp.MustCompile(`["']?(\w+)["']?\]?\s*[=:]\s*\w*FieldConfig\.\w+\((?:[^()]|\([^()]*\))*?keep_on_cpu=True`)

func keptFields(src []byte) []string {
	if !bytes.Contains(src, []byte("keep_on_cpu=True")) {
		return nil
	}
	var out []string
	for _, m := range keptField.FindAllSubmatch(src, -1) {
		out = append(out, string(m[1]))
	}
	for _, m := range keptLoop.FindAllSubmatch(src, -1) {
		if string(m[1]) == string(m[3]) {
			for _, s := range quoted.FindAllSubmatch(m[2], -1) {
				out = append(out, string(s[1]))
			}
		}
	}
	return unique(out)
}

// keptLoop is the same for several names: for key in ("a", "b"): fields[key] = …
var (
	keptLoop = regexp.MustCompile(`for (\w+) in \(([^()]*)\):\s*\w+\[(\w+)\]\s*=\s*\w*FieldConfig\.\w+\([^()]*keep_on_cpu=True`)
	quoted   = regexp.MustCompile(`["'](\w+)["']`)
)

// kept reports whether name is such a field in module m or in one it imports from; with part also when it is the end
// of such a name (grid_thw of image_grid_thw), as parameters are called.
func (in *interp) kept(m *module, name string, part bool) bool {
	if !in.p.keeps {
		return false
	}
	names, ok := in.keptIn[m]
	if !ok {
		names = in.p.keptIn(m)
		in.keptIn[m] = names
		in.asked.kept[m] = true
	}
	for _, n := range names {
		if n == name || part && len(name) > 4 && strings.HasSuffix(n, "_"+name) {
			return true
		}
	}
	return false
}

// keptIn are the names of such fields in m and in what it imports from.
func (p *project) keptIn(m *module) []string {
	names := slices.Clone(m.kept)
	for _, k := range sortedKeys(m.imports) {
		if from, _ := p.importedModule(m.imports[k].module, m); from != nil && from != m {
			names = append(names, from.kept...)
		}
	}
	return names
}

// hostRemark is a comment that says where a declared field is: `lens: torch.Tensor  # CPU tensor`.
var hostRemark = regexp.MustCompile(`(?i)^[^\n]*?#[^\n]*\b(?:on )?(?:the )?cpu\b`)

// remarked moves a declared tensor to the host when the comment behind the declaration says so.
func remarked(v *Value, src []byte, end uint32) *Value {
	if !v.IsTensor() || int(end) >= len(src) {
		return v
	}
	line, _, _ := bytes.Cut(src[end:], []byte("\n"))
	if low := bytes.ToLower(line); !hostRemark.Match(line) || bytes.Contains(low, []byte("gpu")) || bytes.Contains(low, []byte("device")) {
		return v
	}
	return v.with(func(c *Value) { c.Place = PlaceCPU })
}
