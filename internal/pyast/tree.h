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
  atomic_int cancel; // set from another thread
  pyast_node *nodes;
  uint32_t count, cap;
} pyast_parser;

enum { PYAST_OK = 0, PYAST_STOPPED = 1, PYAST_NOMEM = 2 };

void pyast_plain_allocator(void);
pyast_parser *pyast_open(const void *language);
void pyast_close(pyast_parser *p);
int pyast_parse(pyast_parser *p, const char *src, uint32_t len, int64_t timeout_ns);
void pyast_cancel(pyast_parser *p);
void pyast_rearm(pyast_parser *p);
void pyast_trim(pyast_parser *p, uint32_t keep);

#endif
