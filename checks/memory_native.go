package checks

import "slices"

// knownNative is a C++ or CUDA file that was read: parsed, or found to hold nothing that was searched for.
type knownNative struct {
	id   string
	file *nativeFile
	bad  []unreadable
	rest bool
	want digest // of the words that it was searched for
}

// nativeFile finds a file that was read before. One that was parsed is as good whatever is searched for now: it would
// be parsed again and give the same.
func (t *table) nativeFile(f File, want digest) *knownNative {
	if t == nil || f.ID == "" {
		return nil
	}
	for _, k := range t.native[f.Path] {
		if k.id == f.ID && k.want == want {
			if k.file != nil {
				k.file.mod.file = f
			}
			return k
		}
	}
	return nil
}

func (t *table) keepNative(f File, k knownNative) {
	if t == nil || f.ID == "" || slices.ContainsFunc(k.bad, func(u unreadable) bool { return u.transient }) {
		return
	}
	k.id = f.ID
	t.native[f.Path] = front(t.native[f.Path], &k, func(o *knownNative) bool { return o.id == k.id && o.want == k.want })
}
