#include "fake.h"

#include <stdlib.h>
#include <string.h>

// Device memory is host memory, so a device pointer is an address. Work runs when it is submitted.
void op_run(const op *o) {
  if (o->src)
    memmove(o->dst, o->src, o->n);
  else
    memset(o->dst, o->value, o->n);
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

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char v, size_t n) { return now("cuMemsetD32 (sync)", fill(p, v, n)); }

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t n) {
  return now("cuMemcpyDtoH (sync, pageable)", copy((CUdeviceptr)dst, src, n));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t n) {
  return now("cuMemcpyHtoD (sync, pageable)", copy(dst, (CUdeviceptr)src, n));
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, size_t n, CUstream s) { return submit(s, fill(p, v, n)); }

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream s) {
  return submit(s, copy(dst, src, n));
}
