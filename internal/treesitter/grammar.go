package treesitter

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// Grammar is one language. It may be shared between goroutines; a Parser may not.
type Grammar struct {
	name string
	lang *sitter.Language
}

// The grammars that are linked in, at the versions that go.mod pins.
var (
	Python = sync.OnceValue(func() *Grammar { return load("python", python.Language()) })
	CPP    = sync.OnceValue(func() *Grammar { return load("cpp", cpp.Language()) })
	// CUDA is C++ with kernel launches and the qualifiers of device code; its C++ is older than that of CPP.
	CUDA = sync.OnceValue(func() *Grammar { return load("cuda", cuda.Language()) })
)

func load(name string, language unsafe.Pointer) *Grammar {
	setAllocator()
	return &Grammar{name, sitter.NewLanguage(language)}
}

// Symbols is what a lowering knows of a grammar: the kind and the text of each symbol. The numbers change with each
// version of a grammar and one name can have several, so that nothing else may depend on them.
type Symbols[K ~uint8] struct {
	Kinds []K
	Text  []string
	err   K
}

// Kind of a node; the symbol of ERROR nodes lies beyond every table.
func (s *Symbols[K]) Kind(n *Node) K {
	if int(n.Symbol) < len(s.Kinds) {
		return s.Kinds[n.Symbol]
	}
	return s.err
}

// SymbolsOf maps the symbols of g: named nodes by one table, tokens by the other, ERROR nodes to err. A name that the
// grammar does not know is an error unless it is among the optional ones: the tables were written for another version.
func SymbolsOf[K ~uint8](g *Grammar, named, tokens map[string]K, err K, optional ...string) (Symbols[K], error) {
	s := Symbols[K]{err: err}
	seen := map[string]bool{}
	for id := range g.lang.NodeKindCount() {
		name := g.lang.NodeKindForId(uint16(id))
		table := tokens
		if g.lang.NodeKindIsNamed(uint16(id)) {
			table = named
		}
		if _, ok := table[name]; ok {
			seen[name] = true
		}
		s.Kinds = append(s.Kinds, table[name])
		s.Text = append(s.Text, name)
	}
	for _, table := range []map[string]K{named, tokens} {
		for name := range table {
			if !seen[name] && !slices.Contains(optional, name) {
				return s, fmt.Errorf("%s grammar: no symbol %q (another version of it?)", g.name, name)
			}
		}
	}
	return s, nil
}

// Fields looks up the numbers of fields.
func (g *Grammar) Fields(into map[string]*uint8) error {
	for name, p := range into {
		id := g.lang.FieldIdForName(name)
		if id == 0 || id > 255 {
			return fmt.Errorf("%s grammar: no field %q (another version of it?)", g.name, name)
		}
		*p = uint8(id)
	}
	return nil
}
