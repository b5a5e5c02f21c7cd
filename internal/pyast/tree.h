// The C half of the border to tree-sitter: parse a buffer and write its tree as a flat array in preorder, in one call.
// A walk through the Go binding costs several C calls a node, and a node that outlives its tree is a crash that Go
// cannot recover from; here nothing of tree-sitter is ever visible to Go.
#ifndef PYAST_TREE_H
#define PYAST_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { PYAST_NAMED = 1, PYAST_MISSING = 2, PYAST_ERROR = 4, PYAST_EXTRA = 8 };

// One node. Children of node i start at i+1; next is the index after its whole subtree.
typedef struct {
  uint32_t start, end, next;
  uint16_t symbol;
  uint8_t field, flags;
} pyast_node;

typedef struct pyast_parser {
  void *ts;
  const char *src;
  uint32_t len;
  int64_t deadline;  // CLOCK_MONOTONIC nanoseconds
  int64_t max_bytes; // of C memory, tree and node buffer together
  int64_t before;    // what this thread had allocated when the parse began
  atomic_int cancel; // set from another thread
  pyast_node *nodes;
  uint32_t count, cap;
} pyast_parser;

enum { PYAST_OK = 0, PYAST_STOPPED = 1, PYAST_TOO_BIG = 2, PYAST_NOMEM = 3 };

void pyast_set_allocator(void);
pyast_parser *pyast_open(const void *language);
void pyast_close(pyast_parser *p);
int pyast_parse(pyast_parser *p, const char *src, uint32_t len, int64_t timeout_ns, int64_t max_bytes);
void pyast_cancel(pyast_parser *p);
void pyast_rearm(pyast_parser *p);
void pyast_trim(pyast_parser *p, uint32_t keep);

#endif
