// Lines of the trace: a buffer per thread, flushed to the process's file by write(2). The format is that of
// internal/trace (gatebot.trace/v1).
#ifndef GATEBOT_OUT_H
#define GATEBOT_OUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "calls.h"

enum { BUFFER = 256 << 10, LINE_ROOM = 64 << 10, FRAME_ROOM = 12 << 10, STRING_MAX = 4096, RANGES = 64, RANGE_NAME = 128, NAMES = 1024,
       NAME_MAX = 1024, RING = 4096 };

// A kernel launch as it is kept until it is written: one line of the processor's cache.
typedef struct {
  uint64_t began, ended, stream; // times in ticks
  uint32_t grid[3], block[3], smem;
  int32_t code;
  uint16_t name, call; // numbers of name_of and call_index
  int16_t device;
  uint16_t unused;
} launch_record;
_Static_assert(sizeof(launch_record) == 64, "a launch is kept in one cache line");

// What the probe keeps about one thread. It comes from mmap, never from malloc: the callback may run anywhere.
typedef struct thread {
  struct thread *next;
  atomic_bool used;   // by a living thread
  atomic_flag busy;   // its owner writes, or somebody flushes
  int tid;
  bool inside;        // a callback is running: what it calls is not recorded
  int depth;          // runtime calls entered and not left
  call_class outer;   // class of the outermost of them
  void *context;      // last CUcontext seen, and its device
  int device;
  int waiting;        // host waits of a framework entered and not left, and when the outermost began
  int64_t wait_began;
  int ranges;         // NVTX ranges open, and the names of the outermost
  char range[RANGES][RANGE_NAME];
  // Kernel names of the thread: a name is written once and is a number from then on, since long names are most of what a
  // launch would write. The table is open-addressed by the address of the name; names grow in the arena.
  struct { const char *symbol, *copy; int id; } names[NAMES];
  const char *by_id[NAMES / 2 + 1];
  int name_count;
  int names_out; // how many of them are written; the drainer's
  size_t arena_len;
  char arena[NAMES * 256];
  // Launches kept: the thread puts them in at the head, whoever drains takes them out at the tail.
  _Alignas(64) atomic_uint head;
  _Alignas(64) atomic_uint tail;
  _Alignas(64) launch_record ring[RING];
  uint32_t lines;     // whole lines in buf
  size_t len, start;  // bytes in buf; where the line being written starts
  char buf[BUFFER];
} thread;

// Gives the calling thread's record, NULL when there is no memory.
thread *thread_self(void);

int64_t now_ns(void);

// Starts a line of a kind. False: nothing is recorded (no file, closed, failed) and the caller leaves it at that.
bool line_begin(thread *t, const char *kind, int64_t at);
bool out_ready(thread *t); // opens the file when nothing has been written yet
void line_end(thread *t);

// Bytes as they are. line_begin leaves LINE_ROOM and every part is bounded, so that there is room.
static inline void put_n(thread *t, const char *s, size_t n) {
  if (n > BUFFER - t->len) return;
  memcpy(t->buf + t->len, s, n);
  t->len += n;
}

#define put(t, literal) put_n(t, literal, strlen(literal))

void put_i64(thread *t, int64_t v);
void put_hex(thread *t, uint64_t v);
void put_string(thread *t, const char *s);                     // with quotes, escaped, cut at STRING_MAX
void put_string_n(thread *t, const char *s, size_t n);
size_t room(const thread *t);                                  // bytes left in the buffer

void flush(thread *t);                    // writes what the thread has buffered or kept
void out_lines(thread *s);                // writes whole lines that are no thread's, and empties their buffer
thread *threads_first(void);              // of the list of all threads' records, which only grows
void out_init(void);                      // once, before anything else
void out_close(const char *reason);       // flushes all threads and writes the end
void out_lost(void);                      // counts an event that could not be recorded
bool out_open(void);                      // whether events are taken
// Writes an error event, and says the same in one line on stderr.
void out_error(const char *code, const char *text, const char *hint);
// Called in a forked child before anything is written there.
void out_forked(void);

#endif
