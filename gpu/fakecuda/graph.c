#include "fake.h"

#include <stdlib.h>
#include <string.h>

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *n) {
  for (size_t i = 0; nodes && i < g->count && i < *n; i++) nodes[i] = &g->nodes[i];
  *n = g->count;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  *type = node->o.type;
  return CUDA_SUCCESS;
}

// An executable graph is a copy: what happens to the graph later does not change it.
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph g, unsigned long long flags) {
  (void)flags;
  *exec = calloc(1, sizeof **exec);
  if (!*exec || !((*exec)->graph.nodes = calloc(g->count + 1, sizeof *g->nodes))) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy((*exec)->graph.nodes, g->nodes, g->count * sizeof *g->nodes);
  (*exec)->graph.count = g->count;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream s) {
  (void)s;
  for (size_t i = 0; !getenv("FAKECUDA_STALE") && i < exec->graph.count; i++) op_run(&exec->graph.nodes[i].o);
  return sticky;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  free(exec->graph.nodes);
  free(exec);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph g) {
  free(g->nodes);
  free(g);
  return CUDA_SUCCESS;
}
