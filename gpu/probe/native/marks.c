#include "out.h"
#include "probe.h"
#include "python.h"

#include <string.h>

static void mark(const char *kind, const char *name, int enter) {
  thread *t = thread_self();
  if (!t || !line_begin(t, kind, now_ns())) return;
  if (name) put(t, ",\"name\":"), put_string(t, *name ? name : "?");
  put(t, enter ? ",\"at\":\"enter\"" : ",\"at\":\"exit\"");
  line_end(t);
}

void gatebot_region_enter(const char *name) { mark("region", name ? name : "?", 1); }

// A region goes on after a part that was none of it: entered again, and no new pass through it.
void gatebot_region_resume(const char *name) {
  thread *t = thread_self();
  if (!t || !line_begin(t, "region", now_ns())) return;
  put(t, ",\"name\":"), put_string(t, name && *name ? name : "?");
  put(t, ",\"at\":\"enter\",\"resumed\":true");
  line_end(t);
}

void gatebot_region_exit(const char *name) { mark("region", name ? name : "?", 0); }
void gatebot_phase(const char *name, int enter) { mark("phase", name ? name : "?", enter); }

void gatebot_step(int i, int enter) {
  thread *t = thread_self();
  if (!t || !line_begin(t, "step", now_ns())) return;
  put(t, ",\"i\":"), put_i64(t, i);
  put(t, enter ? ",\"at\":\"enter\"" : ",\"at\":\"exit\"");
  line_end(t);
}

// A wait that is no CUDA call of this thread: recorded as one when it ends, with its Python stack. Inner ones belong to it.
void gatebot_host_wait(const char *name, int enter) {
  thread *t = thread_self();
  if (!t) return;
  if (enter) {
    if (t->waiting++ == 0) t->wait_began = now_ns();
    return;
  }
  if (t->waiting == 0 || --t->waiting > 0 || !probe_armed()) return;
  int64_t began = t->wait_began, took = now_ns() - began;
  if (!line_begin(t, "api", began)) return;
  put(t, ",\"name\":"), put_string(t, name ? name : "?");
  put(t, ",\"level\":\"runtime\",\"class\":\"sync\",\"dur\":"), put_i64(t, took), put(t, ",\"code\":0");
  python_frames(t, true);
  line_end(t);
}

void gatebot_flush(void) {
  thread *t = thread_self();
  if (t) flush(t);
}

// --- NVTX: its own injection, through the function tables that every NVTX header offers
//
// Ranges of the default domain and of any other become regions of that name. Only push and pop are taken: start and end
// ranges may cross threads, and a region belongs to one.

enum { ETID_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5, PUSH_EX = 8, PUSH_A = 9, POP = 11, DOMAIN_PUSH_EX = 4, DOMAIN_POP = 5,
       MESSAGE_ASCII = 1 };

typedef struct { size_t size; int (*table)(int module, void ****slots, unsigned *n); } nvtx_callbacks;

typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
} nvtx_attributes;

static int push(const char *name) {
  thread *t = thread_self();
  if (!t) return -1;
  int d = t->ranges++;
  if (d < RANGES) {
    strncpy(t->range[d], name && *name ? name : "?", RANGE_NAME - 1);
    gatebot_region_enter(t->range[d]);
  }
  return d;
}

static int pop(void) {
  thread *t = thread_self();
  if (!t || t->ranges == 0) return -1;
  int d = --t->ranges;
  if (d < RANGES) gatebot_region_exit(t->range[d]);
  return d;
}

static const char *message(const nvtx_attributes *a) {
  return a && a->message_type == MESSAGE_ASCII ? a->message : NULL;
}

static int push_ascii(const char *name) { return push(name); }
static int push_ex(const nvtx_attributes *a) { return push(message(a)); }
static int domain_push(void *domain, const nvtx_attributes *a) { return (void)domain, push(message(a)); }
static int domain_pop(void *domain) { return (void)domain, pop(); }

int InitializeInjectionNvtx2(void *get_table) {
  const nvtx_callbacks *callbacks = ((const void *(*)(uint32_t))get_table)(ETID_CALLBACKS);
  void ***slots = NULL;
  unsigned n = 0;
  if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->table) return 0;
  if (callbacks->table(MODULE_CORE, &slots, &n) && n > POP) {
    *slots[PUSH_EX] = (void *)push_ex, *slots[PUSH_A] = (void *)push_ascii, *slots[POP] = (void *)pop;
  }
  slots = NULL, n = 0;
  if (callbacks->table(MODULE_CORE2, &slots, &n) && n > DOMAIN_POP) {
    *slots[DOMAIN_PUSH_EX] = (void *)domain_push, *slots[DOMAIN_POP] = (void *)domain_pop;
  }
  return 1;
}
