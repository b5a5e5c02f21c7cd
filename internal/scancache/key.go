package scancache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/gatebot/gatebot/checks"
)

// Key names what a report depends on: the files by path and content, the options, the rules (by hash) and the day, on
// which suppressions expire. It is empty when the content of a file is not known without reading it: such a tree has
// no entry.
func Key(files []checks.File, opts checks.Options, rules string, now time.Time) string {
	if rules == "" {
		return ""
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n", Schema, rules, now.UTC().Format(time.DateOnly)) // a hash never fails
	if err := writeOptions(h, opts); err != nil {
		return ""
	}
	for _, f := range files {
		if !checks.Reads(f.Path) {
			continue
		}
		if f.ID == "" && f.Stamp == "" {
			return ""
		}
		_, _ = fmt.Fprintf(h, "%q %q %q %d\n", f.Path, f.ID, f.Stamp, f.Size)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeOptions writes every option that decides what is found, also those that are added later. Rules are pointers
// with functions in them; their hash stands for them.
func writeOptions(w io.Writer, opts checks.Options) error {
	v := reflect.ValueOf(opts)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case name == "Workers", name == "Now", name == "Shelf", name == "Pace", f.Kind() == reflect.Func: // functions come with the rules
			continue
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Pointer:
			if _, err := fmt.Fprintf(w, "%s %d\n", name, f.Len()); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(f.Interface())
		if err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", name, text); err != nil {
			return err
		}
	}
	return nil
}
