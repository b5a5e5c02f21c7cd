package pyast

import (
	"sync"

	"github.com/gatebot/gatebot/internal/treesitter"
)

// grammar is what the lowering knows of the grammar: the kind and the text of each symbol, and the numbers of the
// fields that it asks for.
type grammar struct {
	treesitter.Symbols[kind]
	fields struct {
		alias, alternative, arguments, body, cause, condition, function, guard, key, left, moduleName, name, object,
		operator, parameters, returnType, right, subject, subscript, superclasses, typ, typeParameters, value uint8
	}
}

var theGrammar = sync.OnceValues(func() (*grammar, error) {
	python := treesitter.Python()
	g := &grammar{}
	var err error
	if g.Symbols, err = treesitter.SymbolsOf(python, namedKinds, tokenKinds, kError, "parenthesized_list_splat", "case_pattern"); err != nil {
		return nil, err
	}
	f := &g.fields
	return g, python.Fields(map[string]*uint8{
		"alias": &f.alias, "alternative": &f.alternative, "arguments": &f.arguments, "body": &f.body,
		"cause": &f.cause, "condition": &f.condition, "function": &f.function, "guard": &f.guard, "key": &f.key,
		"left": &f.left, "module_name": &f.moduleName, "name": &f.name, "object": &f.object,
		"operator": &f.operator, "parameters": &f.parameters, "return_type": &f.returnType, "right": &f.right,
		"subject": &f.subject, "subscript": &f.subscript, "superclasses": &f.superclasses, "type": &f.typ,
		"type_parameters": &f.typeParameters, "value": &f.value,
	})
})
