package checks

import "bytes"

// never reports whether no step runs what stands in a function, whoever calls it: its name says that it runs at load time
// or beside the steps, so that it is looked at for its values alone. A lambda in it may be called by others, and shows as
// the function around it.
func (fr *frame) never() bool {
	f := fr.fn
	if f == nil || !fr.in.hot.coldByItself(f) || matchAnySelector(fr.in.opts.Roots, f.Path, f.Name) {
		return false
	}
	return !bytes.Contains(fr.u.tree.Source[f.top.off:f.top.end], []byte("lambda"))
}
