#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int devices(void) {
  const char *n = getenv("FAKECUDA_DEVICES");
  return n ? atoi(n) : 1;
}

CUresult cuInit(unsigned int flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (getenv("FAKECUDA_HANG")) pause();
  return devices() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *v) {
  *v = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *n) {
  *n = devices();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int ordinal) {
  if (ordinal < 0 || ordinal >= devices()) return CUDA_ERROR_INVALID_DEVICE;
  *d = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice d) {
  snprintf(name, (size_t)len, "Pretend GPU %d", d);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *id, CUdevice d) {
  memset(id, 0xfa, sizeof *id);
  id->bytes[15] = (char)d;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) {
  (void)d;
  *n = (size_t)1 << 30;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) {
  (void)d;
  switch (a) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = 9; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = 0; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *v = 232448; return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuGetErrorName(CUresult rc, const char **name) {
  switch (rc) {
#define NAME(x) case x: *name = #x; return CUDA_SUCCESS
    NAME(CUDA_SUCCESS);
    NAME(CUDA_ERROR_INVALID_VALUE);
    NAME(CUDA_ERROR_OUT_OF_MEMORY);
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
    NAME(CUDA_ERROR_INVALID_PTX);
    NAME(CUDA_ERROR_ILLEGAL_STATE);
    NAME(CUDA_ERROR_NOT_FOUND);
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS);
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    NAME(CUDA_ERROR_CAPTURED_EVENT);
    NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

// Contexts: there is nothing to keep apart, so a context is only a handle.
static int context;

CUresult cuCtxCreate_v2(CUcontext *c, unsigned int flags, CUdevice d) {
  (void)flags, (void)d;
  *c = (CUcontext)&context;
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy_v2(CUcontext c) { return c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuCtxSetCurrent(CUcontext c) { (void)c; return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *c) { *c = (CUcontext)&context; return CUDA_SUCCESS; }

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuMemGetInfo", NULL);
  pthread_mutex_unlock(&fake_lock);
  *free_bytes = (size_t)1 << 29;
  *total = (size_t)1 << 30;
  return rc;
}

CUresult cuCtxSynchronize(void) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuCtxSynchronize", NULL);
  if (rc == CUDA_SUCCESS) rc = sticky;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}
