package checks

import (
	"slices"
)

// member finds a method along the ancestors. The interpreter asks through interp.method, so that the answer is a fact.
func (c *Class) member(name string) *Func {
	for _, k := range c.mro {
		if f := k.methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// methodAfter finds super().name as seen from a method of owner on an object of class c.
func (c *Class) methodAfter(owner *Class, name string) *Func {
	i := slices.Index(c.mro, owner)
	for _, k := range c.mro[i+1:] {
		if f := k.methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// linkClasses resolves bases, ancestors and subclasses.
func (p *project) linkClasses() {
	bases := map[*Class][]*Class{}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			for _, b := range c.bases {
				switch s := p.lookup(m, b); {
				case s.cls != nil && s.cls != c:
					bases[c] = append(bases[c], s.cls)
					s.cls.subs = append(s.cls.subs, c)
				case s.ext != "":
					c.ext = append(c.ext, s.ext)
				case s.cls == nil:
					c.ext = append(c.ext, b)
				}
			}
		}
	}
	own := map[*Class][]string{}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			own[c] = c.ext
		}
	}
	for _, m := range p.modules {
		for _, c := range m.allCls {
			c.ext = nil
			seen := map[*Class]bool{}
			var add func(*Class)
			add = func(k *Class) {
				if seen[k] || len(c.mro) > 64 {
					return
				}
				seen[k] = true
				c.mro = append(c.mro, k)
				c.ext = append(c.ext, own[k]...)
				c.data = c.data || k.data
				for _, b := range bases[k] {
					add(b)
				}
			}
			add(c)
		}
	}
}

// isModule reports whether objects of c are torch modules: by an ancestor outside that says so, or by a forward.
func (c *Class) isModule() bool { return c.isTorchModule() || c.member("forward") != nil }
