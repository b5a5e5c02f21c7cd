#include "launches.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { PAUSE_NS = 3000000 }; // between two rounds of the writer: far from enough time to fill a ring with launches

static pthread_mutex_t draining = PTHREAD_MUTEX_INITIALIZER; // taken before the lock of the file
static thread *scratch;                                      // lines are put into its buffer; under draining

// --- time

#if defined(__x86_64__)
static bool even; // the counter can be used
#endif

// Pairs of counter and clock: what was counted between the last two is put on the line through them, under draining.
static struct { uint64_t ticks; int64_t ns; } before, after;

uint64_t ticks(void) {
#if defined(__x86_64__)
  if (even) return __rdtsc();
#elif defined(__aarch64__)
  uint64_t v;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
  return v;
#endif
  return (uint64_t)now_ns();
}

static void look_at_clock(void) {
  int64_t ns = now_ns();
  uint64_t t = ticks();
  // Too short a distance would make a slope of noise.
  if (ns - after.ns > 1000000) before = after;
  after.ticks = t, after.ns = ns;
}

static int64_t ns_at(uint64_t t) {
  if (after.ticks <= before.ticks) return after.ns;
  double slope = (double)(after.ns - before.ns) / (double)(after.ticks - before.ticks);
  return after.ns + (int64_t)((double)(int64_t)(t - after.ticks) * slope);
}

int64_t ns_between(uint64_t from, uint64_t to) {
  pthread_mutex_lock(&draining);
  look_at_clock();
  int64_t ns = ns_at(to) - ns_at(from);
  pthread_mutex_unlock(&draining);
  return ns;
}

// --- names

int name_of(thread *t, const char *symbol) {
  size_t at = ((uintptr_t)symbol >> 3) % NAMES;
  for (int i = 0; i < NAMES; i++, at = (at + 1) % NAMES) {
    if (!t->names[at].symbol) break;
    // The address alone could belong to another module by now.
    if (t->names[at].symbol == symbol && !strcmp(t->names[at].copy, symbol)) return t->names[at].id;
  }
  size_t n = strlen(symbol);
  if (t->name_count >= NAMES / 2 || n >= NAME_MAX || t->arena_len + n + 1 > sizeof t->arena) return 0;
  int id = t->name_count + 1;
  char *copy = memcpy(t->arena + t->arena_len, symbol, n + 1);
  t->arena_len += n + 1;
  t->names[at].symbol = symbol, t->names[at].copy = copy, t->names[at].id = id;
  t->by_id[id] = copy;
  t->name_count = id; // published with the record that has it first
  return id;
}

// --- lines

static void begin(thread *s, const thread *t, const char *kind, int64_t at) {
  put(s, "{\"ev\":\""), put(s, kind), put(s, "\",\"t\":"), put_i64(s, at);
  put(s, ",\"tid\":"), put_i64(s, t->tid);
}

static void put_name(thread *s, thread *t) {
  int id = ++t->names_out;
  begin(s, t, "name", after.ns);
  put(s, ",\"id\":"), put_i64(s, id), put(s, ",\"text\":"), put_string(s, t->by_id[id]), put(s, "}\n");
  s->lines++;
}

static void put_triple(thread *s, const char *key, const uint32_t v[3]) {
  put(s, key), put_i64(s, v[0]), put(s, ","), put_i64(s, v[1]), put(s, ","), put_i64(s, v[2]), put(s, "]");
}

static void put_launch(thread *s, thread *t, const launch_record *r) {
  int64_t began = ns_at(r->began);
  while (t->names_out < r->name) put_name(s, t);
  begin(s, t, "launch", began);
  if (r->device >= 0) put(s, ",\"dev\":"), put_i64(s, r->device);
  put(s, ",\"name\":\""), put(s, call_at(r->call)->name), put(s, "\"");
  if (r->name) put(s, ",\"k\":"), put_i64(s, r->name);
  put_triple(s, ",\"grid\":[", r->grid), put_triple(s, ",\"block\":[", r->block);
  put(s, ",\"smem\":"), put_i64(s, r->smem);
  put(s, ",\"stream\":"), put_hex(s, r->stream);
  put(s, ",\"dur\":"), put_i64(s, ns_at(r->ended) - began), put(s, ",\"code\":"), put_i64(s, r->code);
  put(s, "}\n");
  s->lines++;
}

static void drain(thread *t) {
  uint32_t head = atomic_load_explicit(&t->head, memory_order_acquire), tail = atomic_load_explicit(&t->tail, memory_order_relaxed);
  if (head == tail) return;
  if (!scratch) {
    void *p = mmap(NULL, sizeof *scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      for (; tail != head; tail++) out_lost();
      atomic_store_explicit(&t->tail, tail, memory_order_release);
      return;
    }
    scratch = p;
  }
  look_at_clock();
  for (; tail != head; tail++) {
    if (room(scratch) < LINE_ROOM) out_lines(scratch);
    put_launch(scratch, t, &t->ring[tail % RING]);
  }
  atomic_store_explicit(&t->tail, tail, memory_order_release);
  out_lines(scratch);
}

void launches_drain(thread *t) {
  pthread_mutex_lock(&draining);
  drain(t);
  pthread_mutex_unlock(&draining);
}

void launch_keep(thread *t, const launch_record *r) {
  uint32_t head = atomic_load_explicit(&t->head, memory_order_relaxed);
  if (head - atomic_load_explicit(&t->tail, memory_order_acquire) == RING) launches_drain(t);
  t->ring[head % RING] = *r;
  atomic_store_explicit(&t->head, head + 1, memory_order_release);
}

// --- the writer

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool running, started;

static void *writer(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&gate);
    while (!running) pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
    nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    pthread_mutex_lock(&draining);
    for (thread *t = threads_first(); t; t = t->next) drain(t);
    pthread_mutex_unlock(&draining);
  }
  return NULL;
}

// A program that has no room for another thread goes without: a full ring is written by the thread that filled it.
static void start(void) {
  sigset_t all, old;
  pthread_t id;
  pthread_attr_t attr;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); // signals are the program's
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attr, 256 << 10);
  if (pthread_create(&id, &attr, writer, NULL) == 0) pthread_setname_np(id, "gatebot-probe");
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void launches_armed(bool on) {
  if (on) {
    pthread_mutex_lock(&draining);
    look_at_clock();
    pthread_mutex_unlock(&draining);
  }
  pthread_mutex_lock(&gate);
  running = on;
  if (on && !started) started = true, start();
  pthread_cond_signal(&opened);
  pthread_mutex_unlock(&gate);
}

void launches_init(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  even = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8); // runs at one rate in every state of the processor
#endif
  look_at_clock();
  before = after;
}

void launches_fork_prepare(void) { pthread_mutex_lock(&gate), pthread_mutex_lock(&draining); }
void launches_fork_parent(void) { pthread_mutex_unlock(&draining), pthread_mutex_unlock(&gate); }

void launches_fork_child(void) {
  pthread_mutex_init(&gate, NULL), pthread_mutex_init(&draining, NULL);
  pthread_cond_init(&opened, NULL);
  running = started = false;
  if (scratch) scratch->len = 0, scratch->lines = 0;
}
