// What the probe takes for granted of CUPTI and CUDA, asserted against their own headers, and asked of the library itself.
// check.py writes fields.h from the table of calls and builds this once for each version. usage: abi LIBCUPTI NAME…
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti_callbacks.h>
#include <cupti_result.h>
#include <cupti_version.h>
#include <generated_cuda_meta.h>
#include <generated_cuda_runtime_api_meta.h>

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../native/calls.h"
#include "../native/cupti.h"

#define SAME(theirs, field, ours, mine)                                                              \
  _Static_assert(offsetof(theirs, field) == offsetof(ours, mine), #theirs "." #field " has moved");  \
  _Static_assert(sizeof(((theirs *)0)->field) == sizeof(((ours *)0)->mine), #theirs "." #field " has another size")
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

SAME(CUpti_CallbackData, callbackSite, callback_data, site);
SAME(CUpti_CallbackData, functionName, callback_data, function);
SAME(CUpti_CallbackData, functionParams, callback_data, params);
SAME(CUpti_CallbackData, functionReturnValue, callback_data, returned);
SAME(CUpti_CallbackData, symbolName, callback_data, symbol);
SAME(CUpti_CallbackData, context, callback_data, context);
SAME(CUpti_CallbackData, contextUid, callback_data, context_uid);
SAME(CUpti_CallbackData, correlationData, callback_data, correlation);
SAME(CUpti_CallbackData, correlationId, callback_data, correlation_id);
_Static_assert(CUPTI_API_ENTER == SITE_ENTER && CUPTI_API_EXIT == SITE_EXIT, "sites");
_Static_assert(CUPTI_CB_DOMAIN_DRIVER_API == DOMAIN_DRIVER && CUPTI_CB_DOMAIN_RUNTIME_API == DOMAIN_RUNTIME, "domains");
_Static_assert(CUPTI_SUCCESS == CUPTI_OK && CUPTI_ERROR_MAX_LIMIT_REACHED == CUPTI_MAX_LIMIT &&
               CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == CUPTI_MULTIPLE_SUBSCRIBERS, "results");

// record.c: structs behind a pointer.
AT(struct cudaMemcpy3DParms, srcPtr.ptr, 32);
AT(struct cudaMemcpy3DParms, dstPtr.ptr, 96);
AT(struct cudaMemcpy3DParms, extent, 128);
AT(struct cudaMemcpy3DParms, kind, 152);
AT(CUDA_MEMCPY2D, srcMemoryType, 16);
AT(CUDA_MEMCPY2D, srcHost, 24);
AT(CUDA_MEMCPY2D, srcDevice, 32);
AT(CUDA_MEMCPY2D, dstMemoryType, 72);
AT(CUDA_MEMCPY2D, dstHost, 80);
AT(CUDA_MEMCPY2D, dstDevice, 88);
AT(CUDA_MEMCPY2D, WidthInBytes, 112);
AT(CUDA_MEMCPY2D, Height, 120);
AT(CUDA_MEMCPY3D, srcMemoryType, 32);
AT(CUDA_MEMCPY3D, srcHost, 40);
AT(CUDA_MEMCPY3D, srcDevice, 48);
AT(CUDA_MEMCPY3D, dstMemoryType, 120);
AT(CUDA_MEMCPY3D, dstHost, 128);
AT(CUDA_MEMCPY3D, dstDevice, 136);
AT(CUDA_MEMCPY3D, WidthInBytes, 176);
AT(CUDA_MEMCPY3D, Height, 184);
AT(CUDA_MEMCPY3D, Depth, 192);
AT(cudaLaunchConfig_t, gridDim, 0);
AT(cudaLaunchConfig_t, blockDim, 12);
AT(cudaLaunchConfig_t, dynamicSmemBytes, 24);
AT(cudaLaunchConfig_t, stream, 32);
AT(CUlaunchConfig, gridDimX, 0);
AT(CUlaunchConfig, blockDimX, 12);
AT(CUlaunchConfig, sharedMemBytes, 24);
AT(CUlaunchConfig, hStream, 32);

// The functions that are looked up by name have the types that they are called by.
static CUptiResult (*const subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *) = cuptiSubscribe;
static CUptiResult (*const enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) = cuptiEnableCallback;
static CUptiResult (*const get_name)(CUpti_CallbackDomain, uint32_t, const char **) = cuptiGetCallbackName;
static CUptiResult (*const get_version)(uint32_t *) = cuptiGetVersion;
static CUptiResult (*const get_text)(CUptiResult, const char **) = cuptiGetResultString;

#define FIELD(type, row, role, field) printf("%s\t%s\t%s\t%s\t%zu\t%zu\n", #type, #row, #role, #field, offsetof(type, field), sizeof(((type *)0)->field));

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  (void)subscribe, (void)enable, (void)get_name, (void)get_version, (void)get_text;
  printf("version\t%d\n", CUPTI_API_VERSION);
#include "fields.h"
  void *lib = dlopen(argv[1], RTLD_NOW);
  if (!lib) return printf("library\t%s\n", dlerror()), 0;
  int (*name)(int, uint32_t, const char **);
  void *at = dlsym(lib, "cuptiGetCallbackName");
  for (const char *const *f = (const char *const[]){"cuptiSubscribe", "cuptiEnableCallback", "cuptiGetVersion", "cuptiGetResultString", NULL}; *f; f++)
    if (!dlsym(lib, *f)) return printf("library\thas no %s\n", *f), 0;
  if (!at) return printf("library\thas no cuptiGetCallbackName\n"), 0;
  memcpy(&name, &at, sizeof at);
  for (int domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++)
    for (uint32_t id = 1; id < 16384; id++) {
      const char *text = NULL;
      if (name(domain, id, &text) != CUPTI_OK || !text) continue;
      const call_info *c = call_find(text);
      printf("callback\t%d\t%u\t%s\t%s\n", domain, id, text, c ? c->name : "");
    }
  return 0;
}
