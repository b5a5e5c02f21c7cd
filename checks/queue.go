package checks

import (
	"math"
	"sync"
)

// queue hands out the tasks of foresee: first those of which it is not known whether they have to run, in their order, then
// those that do, the longest first. The last one to end is then a short one, and the other cores do not wait for it.
type queue struct {
	mu     sync.Mutex
	more   sync.Cond
	unsure []*foreseen
	due    []*foreseen
	asking int  // workers that find out whether a task has to run
	ended  bool // no more tasks will come
}

// foreseen is a task that may have to run.
type foreseen struct {
	task  *task
	memos []*memo
	due   bool
}

func newQueue() *queue {
	q := &queue{}
	q.more.L = &q.mu
	return q
}

// length is about in which order tasks of that kind are by the time they take: those that ask for more take longer.
func (f *foreseen) length() int {
	if len(f.memos) == 0 {
		return math.MaxInt
	}
	return len(f.memos[0].facts)
}

// put adds a task.
func (q *queue) put(f *foreseen) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unsure = append(q.unsure, f)
	q.more.Signal()
}

// end says that no more come.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.more.Broadcast()
}

// next gives a task, nil when all are done. Of one that is not due the answer has to be given to told.
func (q *queue) next() *foreseen {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case len(q.unsure) > 0:
			f := q.unsure[0]
			q.unsure = q.unsure[1:]
			q.asking++
			return f
		case len(q.due) > 0:
			at := 0
			for i, f := range q.due {
				if f.length() > q.due[at].length() {
					at = i
				}
			}
			f := q.due[at]
			q.due[at] = q.due[len(q.due)-1]
			q.due = q.due[:len(q.due)-1]
			return f
		case q.ended && q.asking == 0:
			return nil
		}
		q.more.Wait()
	}
}

// told takes the answer whether a task has to run.
func (q *queue) told(f *foreseen, due bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.due = due; due {
		q.due = append(q.due, f)
	}
	q.asking--
	q.more.Broadcast()
}
