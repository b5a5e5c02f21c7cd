package checks

import (
	"bytes"
	"context"
	"slices"
)

// A rule that wants to know whether a file waits for a stream or captures graphs anywhere is told the lines that speak of
// it, and no others: then what it found holds for as long as those lines are what they were.

// telling are what a line holds that speaks of streams, events, graphs, generators or other libraries; tellingFold the
// same in lower case, whatever the case of the line.
var (
	telling = [][]byte{[]byte(".wait("), []byte("wait_stream("), []byte(".wait_event("), []byte(".synchronize()"), []byte(".record("),
		[]byte(".record_event("), []byte("CUDAGraph"), []byte("cuda.graph("), []byte("use_cuda_graph="), []byte(".replay()"),
		[]byte("register_generator_state"), []byte("jax")}
	tellingFold = [][]byte{[]byte("warm"), []byte("dummy_run")}
)

// tellingLines are the lines of a file that speak of such things, in their order.
func tellingLines(src []byte) []byte {
	var out []byte
	for line := range bytes.Lines(src) {
		has := func(word []byte) bool { return bytes.Contains(line, word) }
		found := slices.ContainsFunc(telling, has)
		if !found {
			line := bytes.ToLower(line)
			found = slices.ContainsFunc(tellingFold, func(word []byte) bool { return bytes.Contains(line, word) })
		}
		if found {
			out = append(append(out, bytes.TrimSpace(line)...), '\n')
		}
	}
	return out
}

// Lines are the lines of the file that is looked at that speak of waiting for streams and events, of recording them, of
// graphs and their capture and replay, of warming up, of the state of generators, or of jax, without the blanks around
// them. It is the whole file that counts, and not only what is hot.
func (p *Pass) Lines() string {
	m := p.fr.u.mod
	text, ok := p.in.told[m]
	if !ok {
		text = m.lines(p.fr.u.tree.Source)
		p.in.told[m], p.in.asked.lines[m] = text, true
	}
	return text
}

// lines are the telling lines of a module, found once for each content.
func (m *module) lines(src []byte) string {
	if known := m.telling.Load(); known != nil {
		return *known
	}
	told := tellingLines(src)
	sum, text := digestOf(told), string(told)
	m.told.Store(&sum)
	m.telling.Store(&text)
	return text
}

// toldSum stands for the telling lines of a module. A file that cannot be read has none.
func (p *project) toldSum(m *module) digest {
	if sum := m.told.Load(); sum != nil {
		return *sum
	}
	data, err := p.read(context.Background(), m.file) // once for each content
	if err != nil {
		return digest{}
	}
	sum := digestOf(tellingLines(data))
	m.told.Store(&sum)
	return sum
}
