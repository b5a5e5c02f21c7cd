package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const followed = `{"ev":"header","schema":"gatebot.trace/v1"}
{"ev":"phase","name":"capture","at":"enter"}
{"ev":"measure","name":"region","of":"L00","value":1}
{"ev":"measure","name":"region","of":"L01","value":1}
{"ev":"measure","name":"region","of":"attn","value":0}
{"ev":"graph","name":"L00","nodes":3}
{"ev":"graph","name":"L00","nodes":3,"bucket":"2"}
{"ev":"warning","text":"{\"ev\":\"graph\"}"}
{"ev":"graph","name":"L01","nodes":1}
{"ev":"phase","name":"capture","at":"exit"}
{"ev":"phase","name":"replay","at":"enter"}
{"ev":"step","at":"enter","i":4}
{"ev":"step","at":"exit","i":4}
`

// TestFollow: what is said while a trace grows, cut anywhere.
func TestFollow(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 7, 64, len(followed)} {
		var said []string
		f := &follower{tell: func(phase, unit string, done, total int) {
			said = append(said, strings.TrimSpace(fmt.Sprint(phase, " ", done, "/", total, " ", unit)))
		}}
		for rest := followed; rest != ""; {
			n := min(size, len(rest))
			f.read([]byte(rest[:n]))
			rest = rest[n:]
		}
		want := []string{"capture 0/0", "capture 0/1 regions", "capture 0/2 regions", "capture 1/2 regions", "capture 2/2 regions", "replay 0/0", "replay 1/0 step"}
		if size > 1 { // what came between is left out, the last word never is
			want, said = want[len(want)-1:], said[max(0, len(said)-1):]
		}
		if d := cmp.Diff(want, said); d != "" {
			t.Errorf("in pieces of %d bytes: %s", size, d)
		}
	}
}

// TestFollowFile: the file of a process that is not there yet, grows, and is none at all.
func TestFollowFile(t *testing.T) {
	t.Parallel()
	said := 0
	f := &follower{file: filepath.Join(t.TempDir(), "t.ndjson"), tell: func(string, string, int, int) { said++ }}
	f.look()
	for i, part := range []string{followed[:60], followed[60:]} {
		file, err := os.OpenFile(f.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(part); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		f.look()
		f.look()
		if said != i {
			t.Errorf("after part %d something was said %d times", i, said)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(f.file, link); err != nil {
		t.Fatal(err)
	}
	(&follower{file: link, tell: func(string, string, int, int) { t.Error("a link was followed") }}).look()
}

// FuzzFollow: the trace is written by code that nobody knows.
func FuzzFollow(f *testing.F) {
	f.Add([]byte(followed), 10)
	f.Add([]byte("{\"ev\":\"phase\",\"name\":1}\n{\"ev\":\"\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		x := &follower{tell: func(_, _ string, done, total int) {
			if done < 0 || total < 0 {
				t.Errorf("%d of %d", done, total)
			}
		}}
		cut = min(max(cut, 0), len(data))
		x.read(data[:cut])
		x.read(data[cut:])
	})
}
