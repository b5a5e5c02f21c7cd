#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "launches.h"
#include "python.h"

enum { UNSET, READY, OPEN, CLOSED };

static struct {
  pthread_mutex_t lock;   // for all of this but state and lost
  atomic_int state;
  atomic_llong lost;
  int fd;
  int64_t size, lines;    // written so far
  int64_t safe_size, safe_lines; // where the last chunk began: what a full disk can be cut back to
  int64_t limit;          // bytes, 0: none
  int parent;             // pid, in a forked child
  char path[4096];
} out = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static thread *_Atomic threads;
static pthread_key_t key;
static __thread thread *self __attribute__((tls_model("initial-exec")));

// --- threads

static void thread_gone(void *p) {
  thread *t = p;
  flush(t);
  self = NULL;
  t->inside = false, t->depth = 0, t->context = NULL;
  atomic_store(&t->used, false);
}

thread *thread_self(void) {
  if (self) return self;
  thread *t;
  for (t = threads; t; t = t->next) {
    bool no = false;
    if (atomic_compare_exchange_strong(&t->used, &no, true)) break;
  }
  if (!t) {
    t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED) return NULL;
    atomic_store(&t->used, true);
    t->next = threads;
    while (!atomic_compare_exchange_weak(&threads, &t->next, t)) {}
  }
  t->tid = (int)syscall(SYS_gettid);
  t->device = -1;
  memset(t->names, 0, sizeof t->names);
  t->name_count = t->names_out = 0, t->arena_len = 0; // ids belong to a thread
  pthread_setspecific(key, t);
  return self = t;
}

thread *threads_first(void) { return threads; }

static void grab(thread *t) {
  while (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) sched_yield();
}

static void release(thread *t) { atomic_flag_clear_explicit(&t->busy, memory_order_release); }

// --- the file

// Writes all of a buffer at the end of the file, or nothing that counts: gives 0 or the errno. A limit of the file size
// (RLIMIT_FSIZE) must not kill the program under test, so its signal is taken away here.
static int write_all(const char *p, size_t n) {
  sigset_t xfsz, old;
  sigemptyset(&xfsz);
  sigaddset(&xfsz, SIGXFSZ);
  bool masked = pthread_sigmask(SIG_BLOCK, &xfsz, &old) == 0;
  int failed = out.limit && out.size + (int64_t)n > out.limit ? EFBIG : 0;
  int64_t at = out.size;
  while (n > 0 && !failed) {
    ssize_t w = pwrite(out.fd, p, n, at);
    if (w < 0 && errno == EINTR) continue;
    if (w < 0 && errno == ESPIPE) w = write(out.fd, p, n); // a pipe, when somebody wants one
    if (w <= 0) failed = w < 0 ? errno : EIO;
    else p += w, n -= w, at += w;
  }
  if (!failed) out.size = at;
  if (masked && !sigismember(&old, SIGXFSZ)) {
    if (failed == EFBIG) {
      struct timespec none = {0, 0};
      while (sigtimedwait(&xfsz, NULL, &none) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  }
  return failed;
}

static void say(const char *text, const char *why) {
  char line[1024];
  int n = snprintf(line, sizeof line, "gatebot-probe: %s%s%s\n", text, *why ? ": " : "", why);
  if (n > (int)sizeof line - 1) n = sizeof line - 1, line[n - 1] = '\n';
  if (n > 0 && write(2, line, n) < 0) return; // nothing is left to say it to
}

// The file cannot be written: cut back to the last chunk, say so in the room that gives, and stop.
static void give_up(int why) {
  atomic_store(&out.state, CLOSED);
  char reason[128];
  const char *text = strerror_r(why, reason, sizeof reason); // the GNU one
  out.lost += out.lines - out.safe_lines;
  char line[1024];
  int n = snprintf(line, sizeof line,
                   "{\"ev\":\"error\",\"t\":%lld,\"pid\":%d,\"source\":\"probe\",\"code\":\"disk_full\",\"text\":\"trace: %s\","
                   "\"hint\":\"free space where GATEBOT_TRACE points, or record less\"}\n"
                   "{\"ev\":\"end\",\"t\":%lld,\"pid\":%d,\"events\":%lld,\"lost\":%lld,\"reason\":\"stopped\"}\n",
                   (long long)now_ns(), (int)getpid(), text, (long long)now_ns(), (int)getpid(),
                   (long long)out.safe_lines + 1, (long long)out.lost);
  out.size = out.safe_size, out.limit = 0;
  if (ftruncate(out.fd, out.safe_size) != 0 || n >= (int)sizeof line || write_all(line, n) != 0)
    say("the trace has no end event", text);
  say(out.path, text);
}

// Writes a chunk of whole lines; the lock is held.
static void chunk(const char *p, size_t n, int64_t lines) {
  int64_t size = out.size, before = out.lines;
  int failed = write_all(p, n);
  if (failed) {
    out.lost += lines;
    give_up(failed);
    return;
  }
  out.lines += lines;
  if (n >= 2048) out.safe_size = size, out.safe_lines = before;
}

// Opens a file that is not there yet: a process that replaced itself (exec) has the pid of the one before it, whose record
// must stay.
static int create(void) {
  const char *want = getenv("GATEBOT_TRACE"), *percent = strstr(want, "%p");
  int head = percent ? (int)(percent - want) : (int)strlen(want);
  for (int i = 0; i < 1000; i++) {
    char id[32];
    snprintf(id, sizeof id, i ? "%d.%d" : "%d", (int)getpid(), i);
    snprintf(out.path, sizeof out.path, "%.*s%s%s%s", head, want, percent ? "" : ".", id, percent ? percent + 2 : "");
    int fd = open(out.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Who this process is among those of a launcher: what the harness says, else what the launcher itself does, the nearest
// first. One that says only a rank or only a number of ranks says nothing.
static void launched(int *rank, int *world) {
  static const char *const names[][2] = {
      {"GATEBOT_RANK", "GATEBOT_WORLD"},
      {"RANK", "WORLD_SIZE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"},
  };
  *rank = *world = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *r = getenv(names[i][0]), *w = getenv(names[i][1]);
    if (r && w) {
      *rank = atoi(r), *world = atoi(w);
      return;
    }
  }
}

// Puts the strings of a file that holds them one after the other, each ended by a zero byte.
static void put_args(thread *t) {
  char args[8192];
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, args, sizeof args - 1);
  close(fd);
  if (n <= 0) return;
  args[n] = 0;
  put(t, ",\"args\":[");
  for (char *p = args; p < args + n; p += strlen(p) + 1) {
    if (p > args) put(t, ",");
    put_string(t, p);
  }
  put(t, "]");
}

static void header(thread *t) {
  char text[4096];
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  int rank, world;
  launched(&rank, &world);
  put(t, "{\"ev\":\"header\",\"t\":"), put_i64(t, now_ns());
  put(t, ",\"pid\":"), put_i64(t, getpid());
  put(t, ",\"schema\":\"gatebot.trace/v1\",\"writer\":\"probe\",\"rank\":"), put_i64(t, rank);
  put(t, ",\"world\":"), put_i64(t, world);
  if (out.parent) put(t, ",\"ppid\":"), put_i64(t, out.parent);
  if (gethostname(text, sizeof text) == 0) text[sizeof text - 1] = 0, put(t, ",\"host\":"), put_string(t, text);
  put(t, ",\"wall\":"), put_i64(t, (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec);
  put_args(t);
  if (getcwd(text, sizeof text)) put(t, ",\"dir\":"), put_string(t, text);
  if (python_version(text, sizeof text)) put(t, ",\"python\":"), put_string(t, text);
  put(t, ",\"tool\":\"gatebot-probe/1\"}\n");
}

// Opens the file and writes the header, with what t has buffered put aside.
static bool open_file(thread *t) {
  pthread_mutex_lock(&out.lock);
  if (out.state == READY) {
    out.size = out.lines = out.safe_size = out.safe_lines = 0;
    out.fd = create();
    if (out.fd < 0) {
      say(out.path, strerror(errno));
      atomic_store(&out.state, CLOSED);
    } else {
      size_t len = t->len;
      header(t);
      int failed = write_all(t->buf + len, t->len - len);
      t->len = len;
      out.lines = out.safe_lines = 1, out.safe_size = out.size;
      if (failed) {
        say(out.path, strerror(failed));
        atomic_store(&out.state, CLOSED);
      } else {
        atomic_store(&out.state, OPEN);
      }
    }
  }
  pthread_mutex_unlock(&out.lock);
  return out.state == OPEN;
}

// --- lines

bool out_ready(thread *t) {
  int state = atomic_load_explicit(&out.state, memory_order_relaxed);
  return state == OPEN || (state == READY && open_file(t));
}

bool line_begin(thread *t, const char *kind, int64_t at) {
  if (!out_ready(t)) return false;
  grab(t);
  if (room(t) < LINE_ROOM) {
    release(t);
    flush(t);
    if (out.state != OPEN) return false;
    grab(t);
  }
  t->start = t->len;
  put(t, "{\"ev\":\""), put(t, kind), put(t, "\",\"t\":"), put_i64(t, at);
  put(t, ",\"tid\":"), put_i64(t, t->tid);
  if (t->device >= 0) put(t, ",\"dev\":"), put_i64(t, t->device);
  return true;
}

void line_end(thread *t) {
  put(t, "}\n");
  t->lines++;
  release(t);
}

void out_lines(thread *s) {
  pthread_mutex_lock(&out.lock);
  if (s->len > 0 && out.state == OPEN) chunk(s->buf, s->len, s->lines);
  s->len = 0, s->lines = 0;
  pthread_mutex_unlock(&out.lock);
}

void flush(thread *t) {
  launches_drain(t);
  grab(t);
  pthread_mutex_lock(&out.lock);
  if (t->len > 0 && out.state == OPEN) chunk(t->buf, t->len, t->lines);
  t->len = 0, t->lines = 0;
  pthread_mutex_unlock(&out.lock);
  release(t);
}

void out_lost(void) {
  if (out.state == OPEN) out.lost++;
}

bool out_open(void) { return out.state == OPEN || out.state == READY; }

void out_error(const char *code, const char *text, const char *hint) {
  say(text, hint);
  thread *t = thread_self();
  if (!t || !line_begin(t, "error", now_ns())) return;
  put(t, ",\"source\":\"probe\",\"code\":"), put_string(t, code);
  put(t, ",\"text\":"), put_string(t, text);
  put(t, ",\"hint\":"), put_string(t, hint);
  line_end(t);
  flush(t);
}

// --- life

static void fork_prepare(void) { launches_fork_prepare(), pthread_mutex_lock(&out.lock); }
static void fork_parent(void) { pthread_mutex_unlock(&out.lock), launches_fork_parent(); }

static void fork_child(void) {
  pthread_mutex_init(&out.lock, NULL);
  launches_fork_child();
  int parent = (int)getppid();
  if (out.fd >= 0) close(out.fd);
  out.fd = -1, out.parent = parent, out.lost = 0;
  if (out.state == OPEN) atomic_store(&out.state, READY);
  for (thread *t = threads; t; t = t->next) { // only this thread lives on; what the others buffered is the parent's
    atomic_flag_clear(&t->busy);
    t->len = 0, t->lines = 0;
    memset(t->names, 0, sizeof t->names); // the child's file has none of them
    t->name_count = t->names_out = 0, t->arena_len = 0;
    atomic_store(&t->tail, atomic_load(&t->head));
    if (t != self) atomic_store(&t->used, false);
  }
  if (self) self->tid = (int)syscall(SYS_gettid);
  out_forked();
}

void out_init(void) {
  const char *want = getenv("GATEBOT_TRACE"), *limit = getenv("GATEBOT_TRACE_LIMIT");
  pthread_key_create(&key, thread_gone);
  pthread_atfork(fork_prepare, fork_parent, fork_child);
  out.limit = limit ? atoll(limit) : (int64_t)2 << 30;
  if (want && *want) atomic_store(&out.state, READY);
  else say("GATEBOT_TRACE is not set", "nothing is recorded");
}

void out_close(const char *reason) {
  if (out.state != OPEN) return;
  for (thread *t = threads; t; t = t->next) {
    // A thread may be inside its callback for ever (the process is going down around it): give it a moment.
    int tries = 0;
    while (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire) && ++tries < 100)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (tries == 100) {
      out.lost++;
      continue;
    }
    release(t);
    flush(t);
  }
  pthread_mutex_lock(&out.lock);
  if (out.state == OPEN) {
    char line[256];
    int n = snprintf(line, sizeof line, "{\"ev\":\"end\",\"t\":%lld,\"pid\":%d,\"events\":%lld,\"lost\":%lld,\"reason\":\"%s\"}\n",
                     (long long)now_ns(), (int)getpid(), (long long)out.lines, (long long)out.lost, reason);
    chunk(line, n, 1);
    atomic_store(&out.state, CLOSED);
  }
  pthread_mutex_unlock(&out.lock);
}
