// The C half of the border to tree-sitter: parse a buffer and write its tree as a flat array in preorder, in one call.
// A walk through the Go binding costs several C calls a node, and a node that outlives its tree is a crash that Go
// cannot recover from; here nothing of tree-sitter is ever visible to Go.
#ifndef FLAT_TREE_H
#define FLAT_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FLAT_NAMED = 1, FLAT_MISSING = 2, FLAT_ERROR = 4, FLAT_EXTRA = 8 };

// One node. Children of node i start at i+1; next is the index after its whole subtree.
typedef struct {
  uint32_t start, end, next;
  uint16_t symbol;
  uint8_t field, flags;
} flat_node;

typedef struct flat_parser {
  void *ts;
  const char *src;
  uint32_t len;
  int64_t deadline;  // CLOCK_MONOTONIC nanoseconds
  int64_t max_bytes; // of C memory, tree and node buffer together
  int64_t before;    // what this thread had allocated when the parse began
  atomic_int cancel; // set from another thread
  flat_node *nodes;
  uint32_t count, cap;
  void *tree; // of the last parse, when it was to be kept
} flat_parser;

// A change of a text, as tree-sitter wants to be told.
typedef struct { uint32_t row, column; } flat_point;
typedef struct {
  uint32_t start, old_end, new_end;
  flat_point start_at, old_end_at, new_end_at;
} flat_edit;

enum { FLAT_OK = 0, FLAT_STOPPED = 1, FLAT_TOO_BIG = 2, FLAT_NOMEM = 3, FLAT_BROKEN = 4 };

void flat_set_allocator(void);
flat_parser *flat_open(const void *language);
void flat_close(flat_parser *p);
int flat_parse(flat_parser *p, const char *src, uint32_t len, int64_t timeout_ns, int64_t max_bytes);
// Parses with the tree of another text, which is used up, and the edits that made this one of it, the last place first. What
// comes out with errors then is FLAT_BROKEN. Old may be NULL. The new tree is left in p->tree unless it has errors.
int flat_reparse(flat_parser *p, void *old, const flat_edit *edits, uint32_t n, const char *src, uint32_t len,
                 int64_t timeout_ns, int64_t max_bytes);
void flat_drop(void *tree);
void flat_cancel(flat_parser *p);
void flat_rearm(flat_parser *p);
void flat_trim(flat_parser *p, uint32_t keep);

void flat_release(void);
#endif
