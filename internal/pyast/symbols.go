package pyast

import (
	"fmt"
	"sync"
)

// grammar is what the lowering knows of the grammar: the kind and the text of each symbol, and the numbers of the
// fields that it asks for.
type grammar struct {
	kinds  []kind
	text   []string
	fields struct {
		alias, alternative, arguments, body, cause, condition, function, guard, key, left, moduleName, name, object,
		operator, parameters, returnType, right, subject, subscript, superclasses, typ, typeParameters, value uint8
	}
}

// kind of a node; the symbol of ERROR nodes lies beyond every table.
func (g *grammar) kind(n *node) kind {
	if int(n.symbol) < len(g.kinds) {
		return g.kinds[n.symbol]
	}
	return kError
}

var theGrammar = sync.OnceValues(func() (*grammar, error) {
	lang := language()
	g := &grammar{}
	seen := map[kind]bool{}
	for id := range lang.NodeKindCount() {
		name := lang.NodeKindForId(uint16(id))
		table := tokenKinds
		if lang.NodeKindIsNamed(uint16(id)) {
			table = namedKinds
		}
		k := table[name]
		seen[k] = true
		g.kinds = append(g.kinds, k)
		g.text = append(g.text, name)
	}
	for _, table := range []map[string]kind{namedKinds, tokenKinds} {
		for name, k := range table {
			if !seen[k] && k != kParenthesizedListSplat && k != kCasePattern {
				return nil, fmt.Errorf("python grammar: no symbol %q (another version of tree-sitter-python?)", name)
			}
		}
	}
	f := &g.fields
	for name, p := range map[string]*uint8{
		"alias": &f.alias, "alternative": &f.alternative, "arguments": &f.arguments, "body": &f.body,
		"cause": &f.cause, "condition": &f.condition, "function": &f.function, "guard": &f.guard, "key": &f.key,
		"left": &f.left, "module_name": &f.moduleName, "name": &f.name, "object": &f.object,
		"operator": &f.operator, "parameters": &f.parameters, "return_type": &f.returnType, "right": &f.right,
		"subject": &f.subject, "subscript": &f.subscript, "superclasses": &f.superclasses, "type": &f.typ,
		"type_parameters": &f.typeParameters, "value": &f.value,
	} {
		id := lang.FieldIdForName(name)
		if id == 0 || id > 255 {
			return nil, fmt.Errorf("python grammar: no field %q (another version of tree-sitter-python?)", name)
		}
		*p = uint8(id)
	}
	return g, nil
})
