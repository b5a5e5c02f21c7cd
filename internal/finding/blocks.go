package finding

import (
	"bytes"
	"io"
)

// WriteFindings prints findings alone, each with its code frame, and no summary: for what is not a whole run.
func (t Text) WriteFindings(w io.Writer, fs []Finding) error {
	var b bytes.Buffer
	files := map[string][]string{}
	for i := range fs {
		t.finding(&b, &fs[i], t.lines(files, fs[i].Path))
	}
	_, err := w.Write(b.Bytes())
	return err
}
