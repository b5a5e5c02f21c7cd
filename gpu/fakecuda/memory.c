#include "fake.h"

#include <stdlib.h>
#include <string.h>

// Device memory is host memory, so a device pointer is an address. Work runs when it is submitted.
void op_run(const op *o) {
  switch (o->type) {
  case CU_GRAPH_NODE_TYPE_MEMCPY: memmove(o->dst, o->src, o->n); break;
  case CU_GRAPH_NODE_TYPE_MEMSET: memset(o->dst, o->value, o->n); break;
  case CU_GRAPH_NODE_TYPE_HOST: o->host(o->user); break;
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    op copy = *o; // a kernel may not change the parameters of a graph
    CUresult rc = copy.kernel->run(copy.params);
    if (rc != CUDA_SUCCESS) sticky = rc;
    break;
  }
  default: break; // allocations were made when they were submitted
  }
}

// Page-locked host memory, so that copies can be told apart.
static struct { char *p; size_t n; } locked[64];

bool pinned(const void *p) {
  for (size_t i = 0; i < sizeof locked / sizeof *locked; i++)
    if (locked[i].p && (const char *)p >= locked[i].p && (const char *)p < locked[i].p + locked[i].n) return true;
  return false;
}

CUresult cuMemAllocHost_v2(void **p, size_t n) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuMemAllocHost (pinned)", NULL);
  if (rc == CUDA_SUCCESS) rc = CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; rc == CUDA_ERROR_OUT_OF_MEMORY && i < sizeof locked / sizeof *locked; i++)
    if (!locked[i].p && (*p = calloc(1, n ? n : 1))) locked[i].p = *p, locked[i].n = n, rc = CUDA_SUCCESS;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuMemFreeHost(void *p) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < sizeof locked / sizeof *locked; i++)
    if (p && locked[i].p == p) locked[i].p = NULL, free(p), rc = CUDA_SUCCESS;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

static CUresult now(const char *call, op o) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all(call, NULL);
  if (rc == CUDA_SUCCESS) op_run(&o);
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

static op copy(CUdeviceptr dst, CUdeviceptr src, size_t n) {
  return (op){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .dst = (unsigned char *)dst, .src = (const unsigned char *)src, .n = n};
}

static op fill(CUdeviceptr dst, unsigned char value, size_t n) {
  return (op){.type = CU_GRAPH_NODE_TYPE_MEMSET, .dst = (unsigned char *)dst, .value = value, .n = n};
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuMemAlloc", "cuMemAlloc on another thread");
  pthread_mutex_unlock(&fake_lock);
  if (rc != CUDA_SUCCESS) return rc;
  void *m = calloc(1, n);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = (CUdeviceptr)m;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr p) {
  free((void *)p);
  return CUDA_SUCCESS;
}

// Memory of a stream. The allocation is made at once, also while the stream is captured: the graph holds its node.
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s) {
  void *m = calloc(1, n ? n : 1);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = (CUdeviceptr)m;
  return submit(s, (op){.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC}, "cuMemAllocAsync+cuMemFreeAsync on stream");
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s) {
  if (!s || !s->cap) free((void *)p); // a graph keeps its memory
  return submit(s, (op){.type = CU_GRAPH_NODE_TYPE_MEM_FREE}, "cuMemAllocAsync+cuMemFreeAsync on stream");
}

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char v, size_t n) { return now("cuMemsetD32 (sync)", fill(p, v, n)); }

CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned int v, size_t n) {
  CUresult rc = now("cuMemsetD32 (sync)", fill(p, 0, 0));
  for (size_t i = 0; rc == CUDA_SUCCESS && i < n; i++) memcpy((char *)p + 4 * i, &v, 4);
  return rc;
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t n) {
  return now(pinned(dst) ? "cuMemcpyDtoH (sync, pinned)" : "cuMemcpyDtoH (sync, pageable)", copy((CUdeviceptr)dst, src, n));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t n) {
  return now("cuMemcpyHtoD (sync, pageable)", copy(dst, (CUdeviceptr)src, n));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t n) { return now("cuMemcpyDtoD (sync)", copy(dst, src, n)); }

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, size_t n, CUstream s) { return submit(s, fill(p, v, n), NULL); }

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream s) {
  return submit(s, copy(dst, src, n), NULL);
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t n, CUstream s) {
  return submit(s, copy((CUdeviceptr)dst, src, n), pinned(dst) ? "cuMemcpyDtoHAsync (pinned)" : "cuMemcpyDtoHAsync (pageable)");
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t n, CUstream s) {
  return submit(s, copy(dst, (CUdeviceptr)src, n), "cuMemcpyHtoDAsync (pageable)");
}

CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *user) {
  return submit(s, (op){.type = CU_GRAPH_NODE_TYPE_HOST, .host = fn, .user = user}, "cuLaunchHostFunc");
}
