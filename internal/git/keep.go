package git

// KeepBlobs makes the repository keep contents that were asked for one by one, up to that many bytes, and the tree that was
// listed last: from then on whoever is given a content must not change it. A walk over a history asks for the same file each
// time that something looks at it anew, and a child has to put it together from the versions around it each time.
func (r *CLI) KeepBlobs(bytes int) { r.kept.Resize(bytes) }

// keeps reports whether it does.
func (r *CLI) keeps() bool { return r.kept.Room() > 0 }

// keepBlob keeps what is not so large that much else would go.
func (r *CLI) keepBlob(id string, data []byte) {
	if len(data) <= r.kept.Room()/4 {
		r.kept.Put(id, data, max(1, len(data)))
	}
}
