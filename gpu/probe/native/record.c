#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "launches.h"
#include "native.h"
#include "probe.h"
#include "python.h"

static atomic_bool launch_frames; // GATEBOT_LAUNCH_FRAMES=1: stacks of launches too

void record_init(void) {
  const char *v = getenv("GATEBOT_LAUNCH_FRAMES");
  launch_frames = v && !strcmp(v, "1");
}

void gatebot_launch_frames(int on) { launch_frames = on; }

static bool brief;

void gatebot_brief(int on) { brief = on; }

static uint64_t word(const void *params, uint8_t at) {
  uint64_t v = 0;
  if (at) memcpy(&v, (const char *)params + at - 1, sizeof v);
  return v;
}

static uint32_t half(const void *params, int offset) {
  uint32_t v;
  memcpy(&v, (const char *)params + offset, sizeof v);
  return v;
}

static const void *pointer(const void *params, uint8_t at) { return (const void *)(uintptr_t)word(params, at); }

typedef struct { const char *src, *dst; int64_t bytes; } sides;

static int64_t size_of(const call_info *c, const void *p) {
  if (!c->bytes) return -1;
  return (int64_t)(word(p, c->bytes) * (c->times ? word(p, c->times) : 1) * (c->scale ? c->scale : 1));
}

// What the two sides of a copy are. The device side of a copy whose kind says so is taken at its word; a host side is
// looked up, since pageable and pinned memory go through the same calls.
static sides by_kind(int kind, const void *dst, const void *src) {
  enum { HTOH, HTOD, DTOH, DTOD, DEFAULT };
  sides s = {"device", "device", -1};
  if (kind != DTOD && kind != DTOH) s.src = src ? memory_kind(src) : kind == HTOD ? "unknown" : "array";
  if (kind != DTOD && kind != HTOD) s.dst = dst ? memory_kind(dst) : kind == DTOH ? "unknown" : "array";
  return s;
}

static sides sides_of(const call_info *c, const void *p) {
  const void *dst = pointer(p, c->dst), *src = pointer(p, c->src);
  if (c->class == C_SET) return (sides){NULL, memory_kind(dst), size_of(c, p)};
  sides s;
  switch (c->layout) {
  case L_RT_3D: { // cudaMemcpy3DParms
    const char *q = pointer(p, 1);
    if (!q) return (sides){"unknown", "unknown", -1};
    s = by_kind((int)half(q, 152), pointer(q, 96 + 1), pointer(q, 32 + 1));
    s.bytes = (int64_t)(word(q, 128 + 1) * word(q, 136 + 1) * word(q, 144 + 1));
    return s;
  }
  case L_DR_2D:
  case L_DR_3D: { // CUDA_MEMCPY2D, CUDA_MEMCPY3D
    static const char *const types[] = {"unknown", "host", "device", "array", "unified"};
    const char *q = pointer(p, 1);
    bool deep = c->layout == L_DR_3D;
    if (!q) return (sides){"unknown", "unknown", -1};
    unsigned from = half(q, deep ? 32 : 16), to = half(q, deep ? 120 : 72);
    const void *from_p = pointer(q, (from == 1 ? (deep ? 40 : 24) : (deep ? 48 : 32)) + 1);
    const void *to_p = pointer(q, (to == 1 ? (deep ? 128 : 80) : (deep ? 136 : 88)) + 1);
    s.src = from == 1 || from == 4 ? memory_kind(from_p) : from < 5 ? types[from] : "unknown";
    s.dst = to == 1 || to == 4 ? memory_kind(to_p) : to < 5 ? types[to] : "unknown";
    s.bytes = deep ? (int64_t)(word(q, 176 + 1) * word(q, 184 + 1) * word(q, 192 + 1))
                   : (int64_t)(word(q, 112 + 1) * word(q, 120 + 1));
    return s;
  }
  default:
    break;
  }
  switch (c->dir) {
  case D_HTOD: s = by_kind(1, dst, src); break;
  case D_DTOH: s = by_kind(2, dst, src); break;
  case D_DTOD: s = by_kind(3, dst, src); break;
  case D_UNKNOWN: s = (sides){"unknown", "unknown", -1}; break;
  default: s = by_kind(c->kind ? (int)half(p, c->kind - 1) : 4, dst, src);
  }
  s.bytes = size_of(c, p);
  return s;
}

static bool host(const char *kind) { return kind && (!strcmp(kind, "pageable") || !strcmp(kind, "pinned")); }

// A managed or unknown side counts as the device's: what it is decides who has to wait, and the kinds are in the event.
static void put_copy(thread *t, const sides *s, bool async) {
  put(t, ",\"copy\":{\"dir\":\"");
  put(t, host(s->src) ? "hto" : "dto"), put(t, host(s->dst) ? "h" : "d");
  put(t, "\",\"bytes\":"), put_i64(t, s->bytes);
  if (s->src) put(t, ",\"src\":\""), put(t, s->src), put(t, "\"");
  put(t, ",\"dst\":\""), put(t, s->dst), put(t, async ? "\",\"async\":true}" : "\",\"async\":false}");
}

static void put_numbers(thread *t, const char *key, const char *p) {
  put(t, key);
  for (int i = 0; i < 3; i++) put(t, i ? "," : "["), put_i64(t, half(p, 4 * i));
  put(t, "]");
}

static void put_stack(thread *t, bool may_wait) {
  if (!python_frames(t, may_wait)) native_frames(t);
}

static void launch(thread *t, const call_info *c, const callback_data *d, uint64_t began, uint64_t ended, int code) {
  const char *q = d->params, *grid = q + 8;
  launch_record r = {.began = began, .ended = ended, .code = code, .device = (int16_t)t->device, .call = call_index(c),
                     .smem = c->bytes ? half(q, c->bytes - 1) : 0, .stream = word(q, c->stream)};
  if (c->layout == L_LAUNCH_CONFIG) {
    grid = q = pointer(q, 1);
    if (!q) return out_lost();
    r.smem = half(q, 24), r.stream = word(q, 32 + 1);
  }
  memcpy(r.grid, grid, sizeof r.grid), memcpy(r.block, grid + 12, sizeof r.block);
  int id = d->symbol ? name_of(t, d->symbol) : 0;
  if (out_ready(t) && (id || !d->symbol) && !launch_frames) {
    r.name = (uint16_t)id;
    return launch_keep(t, &r);
  }
  // With a stack, or with more names than are kept: a line at once.
  int64_t now = now_ns(), took = ns_between(began, ended);
  if (!line_begin(t, "launch", now - took)) return;
  put(t, ",\"name\":\""), put(t, c->name);
  put(t, "\",\"kernel\":"), put_string(t, d->symbol ? d->symbol : "");
  put_numbers(t, ",\"grid\":", grid), put_numbers(t, ",\"block\":", grid + 12);
  put(t, ",\"smem\":"), put_i64(t, r.smem);
  put(t, ",\"stream\":"), put_hex(t, r.stream);
  put(t, ",\"dur\":"), put_i64(t, took), put(t, ",\"code\":"), put_i64(t, code);
  if (launch_frames) put_stack(t, false);
  line_end(t);
}

// Whether a call can be a finding, and so needs its stack: not what only orders or sets memory on the device, which
// there is much of.
static bool wants_stack(const call_info *c, const sides *s) {
  switch (c->class) {
  case C_COPY: return !c->async || strcmp(s->src, "device") != 0 || strcmp(s->dst, "device") != 0;
  case C_SET: return !c->async || strcmp(s->dst, "device") != 0;
  case C_WAIT: case C_CONTEXT: return false;
  default: return true;
  }
}

// Whether the GIL may be waited for: not where frameworks call with a lock of theirs held (allocators allocate, free,
// pin, and ask and wait for events that way).
static bool may_wait(const call_info *c) {
  return c->class == C_COPY || c->class == C_CAPTURE || (c->class == C_SYNC && c->stream);
}

void record(thread *t, const call_info *c, int domain, const callback_data *d, uint64_t entered) {
  static const char *const modes[] = {"global", "thread_local", "relaxed"};
  int code = d->returned ? *(int *)d->returned : 0;
  if (c->class == C_LAUNCH) {
    if (brief) return;
    uint64_t ended = ticks();
    device_of(t, d);
    return launch(t, c, d, entered ? entered : ended, ended, code);
  }
  int64_t now = now_ns(), began = entered ? (int64_t)entered : now, took = now - began;
  device_of(t, d);
  const void *p = d->params;
  sides s = {0};
  bool moves = c->class == C_COPY || c->class == C_SET;
  if (moves) s = sides_of(c, p);
  if (brief && !wants_stack(c, &s)) return;
  if (!line_begin(t, "api", began)) return;
  put(t, ",\"name\":\""), put(t, c->name);
  put(t, domain == DOMAIN_RUNTIME ? "\",\"level\":\"runtime\"" : "\",\"level\":\"driver\"");
  put(t, ",\"class\":\""), put(t, class_name(c->class));
  put(t, "\",\"dur\":"), put_i64(t, took), put(t, ",\"code\":"), put_i64(t, code);
  if (c->stream) put(t, ",\"stream\":"), put_hex(t, word(p, c->stream));
  if (c->handle) put(t, ",\"handle\":"), put_hex(t, word(p, c->handle));
  if (moves) put_copy(t, &s, c->async);
  else if (c->bytes) put(t, ",\"bytes\":"), put_i64(t, size_of(c, p));
  if (c->ptr) put(t, ",\"ptr\":"), put_hex(t, word(p, c->ptr));
  if (c->out && code == 0 && word(p, c->out)) put(t, ",\"ptr\":"), put_hex(t, word(pointer(p, c->out), 1));
  if (c->mode && half(p, c->mode - 1) < 3) put(t, ",\"mode\":\""), put(t, modes[half(p, c->mode - 1)]), put(t, "\"");
  if (wants_stack(c, &s)) put_stack(t, may_wait(c));
  line_end(t);
}
