package pyast

func (l *lowerer) importFrom(i uint32, at stmtNode) Stmt {
	x := &ImportFrom{stmtNode: at}
	module := l.field(i, l.g.fields.moduleName)
	switch {
	case l.kind(i) == kFutureImportStatement:
		x.Module = "__future__"
	case module == none:
	case l.kind(module) == kRelativeImport:
		for c := module + 1; c < l.nodes[module].Next; c = l.nodes[c].Next {
			switch l.kind(c) {
			case kImportPrefix:
				for _, b := range l.src[l.nodes[c].Start:l.nodes[c].End] {
					if b == '.' {
						x.Level++
					}
				}
			case kDottedName:
				x.Module = l.dottedText(c)
			}
		}
	default:
		x.Module = l.dottedText(module)
	}
	if c := l.child(i, kWildcardImport); c != none {
		x.Names = []Alias{{Span: l.span(c), Name: "*"}}
		return x
	}
	x.Names = l.aliases(i)
	return x
}

func (l *lowerer) aliases(i uint32) []Alias {
	f := &l.g.fields
	var out []Alias
	for c := i + 1; c < l.nodes[i].Next; c = l.nodes[c].Next {
		if l.nodes[c].Field != f.name || !l.part(c) {
			continue
		}
		a := Alias{Span: l.span(c)}
		name := c
		if l.kind(c) == kAliasedImport {
			if as := l.field(c, f.alias); as != none {
				a.As = l.name(as)
			}
			if name = l.field(c, f.name); name == none {
				continue
			}
		}
		a.Name = l.dottedText(name)
		out = append(out, a)
	}
	return out
}
