package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// errDied marks a cat-file child that ended before it answered.
var errDied = errors.New("git cat-file ended early")

// answer is one reply of cat-file.
type answer struct {
	kind string // blob, tree, commit, tag; empty when the object is missing
	size int64
	data []byte // nil for --batch-check, a missing object and one over MaxBlob
}

// batch is one long-lived child: `git cat-file --batch` or `--batch-check`, or a `git diff-tree --stdin`.
type batch struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *bytes.Buffer
	data   bool
}

func (c *commander) startBatch(mode string) (*batch, error) {
	b, err := c.startChild("cat-file", mode)
	if err == nil {
		b.data = mode == "--batch"
	}
	return b, err
}

// startChild starts a command that reads questions and answers them.
func (c *commander) startChild(args ...string) (*batch, error) {
	// Not bound to a context: the child outlives the call that starts it. Who asks kills it when a call is cancelled.
	cmd := c.command(context.Background(), args...)
	b := &batch{cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = b.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	b.stdin, b.stdout = stdin, bufio.NewReaderSize(stdout, 64<<10)
	return b, nil
}

// ask requests every id and calls f with each answer in order. Requests are written by a goroutine of their own: both
// pipes would fill up otherwise. After an error the child is in an unknown place and must be stopped.
func (b *batch) ask(ctx context.Context, ids []string, f func(i int, o answer) error) error {
	stop := context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() {
		w := bufio.NewWriterSize(b.stdin, min(16<<10, 80*len(ids))) // most ask for one
		for _, id := range ids {
			if _, err := w.WriteString(id + "\n"); err != nil {
				return // the reader finds out, with a better reason
			}
		}
		_ = w.Flush()
	})
	err := b.read(len(ids), f)
	if err != nil {
		_ = b.cmd.Process.Kill() // unblocks the writer
	}
	wg.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("git cat-file: %w", context.Cause(ctx))
	}
	return err
}

func (b *batch) read(n int, f func(i int, o answer) error) error {
	for i := range n {
		line, err := b.stdout.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%w: %w", errDied, err)
		}
		o, err := parseBatchHeader(line)
		if err != nil {
			return err
		}
		if b.data && o.kind != "" {
			if o.data, err = b.body(o.size); err != nil {
				return fmt.Errorf("%w: %w", errDied, err)
			}
		}
		if err := f(i, o); err != nil {
			return err
		}
	}
	return nil
}

// body reads an object's bytes and the line break after them. What is over MaxBlob is read and let go.
func (b *batch) body(size int64) ([]byte, error) {
	var data []byte
	if size <= MaxBlob {
		data = make([]byte, size)
		if _, err := io.ReadFull(b.stdout, data); err != nil {
			return nil, err
		}
	} else if _, err := io.CopyN(io.Discard, b.stdout, size); err != nil {
		return nil, err
	}
	_, err := b.stdout.ReadByte()
	return data, err
}

// parseBatchHeader reads "<id> <type> <size>" or "<what was asked> missing"; the question may hold blanks.
func parseBatchHeader(line string) (answer, error) {
	if strings.HasSuffix(line, " missing\n") {
		return answer{}, nil
	}
	f := strings.Fields(line)
	if len(f) == 3 && isID(f[0]) {
		if size, err := strconv.ParseInt(f[2], 10, 64); err == nil && size >= 0 {
			return answer{kind: f[1], size: size}, nil
		}
	}
	return answer{}, fmt.Errorf("git cat-file: unexpected answer %q", line)
}

// stop ends the child and returns what it said on stderr.
func (b *batch) stop() string {
	_ = b.stdin.Close()
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	return b.stderr.String()
}
