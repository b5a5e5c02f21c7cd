#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE // malloc/malloc.h of macOS needs more than POSIX
#include "tree.h"

#include <stdlib.h>
#include <time.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#define malloc_usable_size malloc_size
#else
#include <malloc.h>
#endif

// What is used of tree-sitter's C API, version 0.25.0 as pinned in go.mod (tree_sitter/api.h); the library itself is
// linked by the Go binding. TestFlatTreeAgreesWithBinding fails when a newer version changes one of these.
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *); } TSParseOptions;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte, TSPoint at, uint32_t *n);
  int encoding; // 0 is UTF-8
  uint32_t (*decode)(const uint8_t *, uint32_t, int32_t *);
} TSInput;

extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
extern void *ts_parser_new(void);
extern void ts_parser_delete(void *);
extern bool ts_parser_set_language(void *, const void *);
extern void ts_parser_reset(void *);
extern void *ts_parser_parse_with_options(void *, const void *, TSInput, TSParseOptions);
extern TSNode ts_tree_root_node(const void *);
extern void ts_tree_delete(void *);
extern void ts_tree_edit(void *, const flat_edit *);
extern bool ts_node_has_error(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern uint16_t ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern bool ts_node_is_named(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_is_extra(TSNode);
extern bool ts_node_is_error(TSNode);

// The binding's init() sends every allocation of the C library through Go (C to Go to C); this undoes it. Its callbacks
// end in the same malloc and free, so memory from before the switch may be freed after it. What takes its place counts:
// hostile text can make the parser take hundreds of bytes for each of its own. A parse stays on one thread, so a counter
// per thread tells what it has taken; one that began with memory of another thread's parse only counts too low by that.
static _Thread_local int64_t in_use;

static void *counted(void *p) {
  if (!p) abort(); // what tree-sitter does itself: it never looks at the result
  in_use += (int64_t)malloc_usable_size(p);
  return p;
}
static void *count_malloc(size_t n) { return counted(malloc(n ? n : 1)); }
static void *count_calloc(size_t k, size_t n) { return counted(calloc(k ? k : 1, n ? n : 1)); }
static void *count_realloc(void *p, size_t n) {
  in_use -= (int64_t)malloc_usable_size(p);
  return counted(realloc(p, n ? n : 1));
}
static void count_free(void *p) {
  in_use -= (int64_t)malloc_usable_size(p);
  free(p);
}

void flat_set_allocator(void) { ts_set_allocator(count_malloc, count_calloc, count_realloc, count_free); }

flat_parser *flat_open(const void *language) {
  flat_parser *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->ts = ts_parser_new();
  if (!p->ts || !ts_parser_set_language(p->ts, language)) {
    flat_close(p);
    return NULL;
  }
  return p;
}

void flat_close(flat_parser *p) {
  if (p->ts) ts_parser_delete(p->ts);
  free(p->nodes);
  free(p);
}

void flat_cancel(flat_parser *p) { atomic_store(&p->cancel, 1); }
void flat_rearm(flat_parser *p) { atomic_store(&p->cancel, 0); }

// Gives back the node buffer when one large file has blown it up beyond keep nodes.
void flat_trim(flat_parser *p, uint32_t keep) {
  p->count = 0;
  if (p->cap <= keep) return;
  free(p->nodes);
  p->nodes = NULL;
  p->cap = 0;
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool too_big(const flat_parser *p) {
  return in_use - p->before + (int64_t)p->cap * (int64_t)sizeof *p->nodes > p->max_bytes;
}
static bool stopped(const flat_parser *p) { return atomic_load(&p->cancel) || now() > p->deadline || too_big(p); }
static int why(const flat_parser *p) { return too_big(p) ? FLAT_TOO_BIG : FLAT_STOPPED; }
static bool progress(TSParseState *s) { return stopped(s->payload); }

static const char *chunk(void *payload, uint32_t byte, TSPoint at, uint32_t *n) {
  (void)at;
  const flat_parser *p = payload;
  if (byte >= p->len) {
    *n = 0;
    return "";
  }
  *n = p->len - byte;
  return p->src + byte;
}

static bool grow(flat_parser *p) {
  uint32_t cap = p->cap ? p->cap * 2 : 4096;
  flat_node *nodes = cap > p->cap ? realloc(p->nodes, (size_t)cap * sizeof *nodes) : NULL;
  if (!nodes) return false;
  p->nodes = nodes;
  p->cap = cap;
  return true;
}

static uint8_t flags(TSNode n) {
  uint8_t f = 0;
  if (ts_node_is_named(n)) f |= FLAT_NAMED;
  if (ts_node_is_missing(n)) f |= FLAT_MISSING;
  if (ts_node_is_error(n)) f |= FLAT_ERROR;
  if (ts_node_is_extra(n)) f |= FLAT_EXTRA;
  return f;
}

// While a node is open its next holds the index of its parent, so the walk needs no stack of its own.
static int flatten(flat_parser *p, TSTreeCursor *c) {
  uint32_t parent = UINT32_MAX;
  p->count = 0;
  for (;;) {
    if (p->count == p->cap && !grow(p)) return FLAT_NOMEM;
    if ((p->count & 0xffff) == 0xffff && stopped(p)) return why(p);
    uint32_t i = p->count++;
    TSNode n = ts_tree_cursor_current_node(c);
    p->nodes[i] = (flat_node){
        .start = ts_node_start_byte(n), .end = ts_node_end_byte(n), .next = parent, .symbol = ts_node_symbol(n),
        .field = (uint8_t)ts_tree_cursor_current_field_id(c), .flags = flags(n)};
    if (ts_tree_cursor_goto_first_child(c)) {
      parent = i;
      continue;
    }
    p->nodes[i].next = p->count;
    while (!ts_tree_cursor_goto_next_sibling(c)) {
      if (parent == UINT32_MAX || !ts_tree_cursor_goto_parent(c)) return FLAT_OK;
      uint32_t up = p->nodes[parent].next;
      p->nodes[parent].next = p->count;
      parent = up;
    }
  }
}

static void *parse(flat_parser *p, const void *old, const char *src, uint32_t len, int64_t timeout_ns, int64_t max_bytes) {
  p->src = src;
  p->len = len;
  p->deadline = now() + timeout_ns;
  p->max_bytes = max_bytes;
  p->before = in_use;
  TSInput in = {.payload = p, .read = chunk};
  TSParseOptions options = {.payload = p, .progress_callback = progress};
  void *tree = ts_parser_parse_with_options(p->ts, old, in, options);
  p->src = NULL;
  return tree;
}

static int flat(flat_parser *p, const void *tree) {
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
  int rc = flatten(p, &c);
  ts_tree_cursor_delete(&c);
  return rc;
}

static int given_up(flat_parser *p) {
  int rc = why(p);
  ts_parser_reset(p->ts);
  return rc;
}

int flat_parse(flat_parser *p, const char *src, uint32_t len, int64_t timeout_ns, int64_t max_bytes) {
  void *tree = parse(p, NULL, src, len, timeout_ns, max_bytes);
  if (!tree) return given_up(p);
  int rc = flat(p, tree);
  ts_tree_delete(tree);
  return rc;
}

int flat_reparse(flat_parser *p, void *old, const flat_edit *edits, uint32_t n, const char *src, uint32_t len,
                 int64_t timeout_ns, int64_t max_bytes) {
  for (uint32_t i = 0; i < n; i++) ts_tree_edit(old, &edits[i]);
  p->tree = parse(p, old, src, len, timeout_ns, max_bytes);
  if (old) ts_tree_delete(old);
  if (!p->tree) return given_up(p);
  bool broken = ts_node_has_error(ts_tree_root_node(p->tree));
  int rc = broken && old ? FLAT_BROKEN : flat(p, p->tree);
  if (rc == FLAT_OK && !broken) return rc;
  ts_tree_delete(p->tree);
  p->tree = NULL;
  return rc;
}

void flat_drop(void *tree) { ts_tree_delete(tree); }

// Gives pages of freed memory back to the system; the C library keeps them otherwise.
void flat_release(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
