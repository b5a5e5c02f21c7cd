package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/fixlog"
)

// files keeps the ledger and the document in the working tree: modes pr and push, which differ in how the bot brings
// them to the branch.
type files struct {
	root   string
	config *config.Config
}

func (f files) load(context.Context) (*fixlog.Ledger, error) {
	data, err := f.read(LedgerPath)
	if err != nil {
		return nil, err
	}
	l, err := fixlog.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &UsageError{fmt.Sprintf("%s: %v (restore it from git)", LedgerPath, err)}
	}
	return l, nil
}

func (f files) save(_ context.Context, l *FixLog) (string, error) {
	doc, err := l.Render()
	if err != nil {
		return "", err
	}
	data, err := landed(l.Ledger).Bytes()
	if err != nil {
		return "", err
	}
	if err := f.write(LedgerPath, data); err != nil {
		return "", err
	}
	name := f.config.FixLog.Path
	if bytes.Equal(doc, l.Document) {
		return name + " unchanged", nil
	}
	if err := f.write(name, doc); err != nil {
		return "", err
	}
	l.Document = doc
	return name + " written", nil
}

// landed is the ledger without provisional entries, which are this clone's alone.
func landed(l *fixlog.Ledger) *fixlog.Ledger {
	out := &fixlog.Ledger{Tip: l.Tip}
	for _, r := range l.Records {
		if !r.Provisional {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

func (f files) read(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(f.root, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (f files) write(name string, data []byte) error {
	file := filepath.Join(f.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("fix log: %w", err)
	}
	return replaceFile(file, data)
}

// FragmentsDir holds one file for each fix in the mode fragments, so that no two pull requests touch the same file.
const FragmentsDir = ".gatebot/fixlog.d"

// fragments keeps new records beside the ledger until Collate folds them in.
type fragments struct{ files }

func (f fragments) load(ctx context.Context) (*fixlog.Ledger, error) {
	l, err := f.files.load(ctx)
	if err != nil {
		return nil, err
	}
	all, err := f.readAll()
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if err := l.Encode(&data); err != nil {
		return nil, err
	}
	if err := l.Append(&data, all); err != nil { // a later record replaces the one of the same id
		return nil, err
	}
	return fixlog.Decode(&data)
}

func (f fragments) names() ([]string, error) {
	return filepath.Glob(filepath.Join(f.root, filepath.FromSlash(FragmentsDir), "fx-*.json"))
}

func (f fragments) readAll() ([]fixlog.Record, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	var all []fixlog.Record
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r fixlog.Record
		bad := func(why any) error {
			return &UsageError{fmt.Sprintf("%s/%s: %v (restore it from git, or remove it and run `gatebot fixlog update`)",
				FragmentsDir, filepath.Base(name), why)}
		}
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, bad(err)
		}
		if r.ID+".json" != filepath.Base(name) || r.Commit == "" {
			return nil, bad("it is not the record that its name says")
		}
		if own := fixlog.Describe(r); r.Description != own {
			r.Human, r.Description = r.Description, own // somebody wrote it better
		}
		all = append(all, r)
	}
	return all, nil
}

func (f fragments) save(ctx context.Context, l *FixLog) (string, error) {
	base, err := f.files.load(ctx)
	if err != nil {
		return "", err
	}
	known := map[string]string{}
	for _, r := range base.Records {
		known[r.ID] = text(r)
	}
	written := 0
	for _, r := range landed(l.Ledger).Records {
		if r.Source == fixlog.SourceHand || known[r.ID] == text(r) {
			continue
		}
		if r.Human != "" {
			r.Description, r.Human = r.Human, "" // the form in which people edit it
		}
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return "", err
		}
		name := path.Join(FragmentsDir, r.ID+".json")
		data = append(data, '\n')
		if old, err := f.read(name); err != nil {
			return "", err
		} else if bytes.Equal(old, data) {
			continue
		}
		if err := f.write(name, data); err != nil {
			return "", err
		}
		written++
	}
	return fmt.Sprintf("%d files written to %s (gatebot fixlog collate puts them into %s)", written, FragmentsDir, f.config.FixLog.Path), nil
}

// text is a record as the ledger has it.
func text(r fixlog.Record) string {
	data, err := json.Marshal(r)
	if err != nil {
		return "" // equal to nothing, so that it is written
	}
	return string(data)
}

// Collate folds the fragments into the ledger and the document, and removes them. In any other mode it is a mistake.
func (l *FixLog) Collate(ctx context.Context) (string, error) {
	f, ok := l.store.(fragments)
	if !ok {
		return "", &UsageError{fmt.Sprintf("fixlog.mode is %s: there are no fragments to collate", l.Config.FixLog.Mode)}
	}
	names, err := f.names()
	if err != nil {
		return "", err
	}
	said, err := f.files.save(ctx, l)
	if err != nil {
		return "", err
	}
	for _, name := range names { // after the ledger has them: a broken run leaves them twice and not never
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d fragments, %s", len(names), said)), nil
}
