#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Modules hold PTX. What it says is not compiled: the kernels that the tests use are here, under the same names. The same
// files run on a real card (gpu/kernel/testdata).

struct CUmod_st { char *text; };
struct CUfunc_st { const kernel *k; };

#define ARG(type, i) (*(type *)at[i])

static CUresult run_scale(unsigned char at[PARAMS][PARAM_BYTES]) {
  for (int i = 0; i < ARG(int, 3); i++) ARG(float *, 1)[i] = ARG(float, 2) * ARG(float *, 0)[i];
  return CUDA_SUCCESS;
}

static CUresult run_accumulate(unsigned char at[PARAMS][PARAM_BYTES]) {
  for (int i = 0; i < ARG(int, 1); i++) ARG(int *, 0)[i]++;
  return CUDA_SUCCESS;
}

static CUresult run_counter(unsigned char at[PARAMS][PARAM_BYTES]) {
  static int counter;
  ARG(int *, 0)[0] = counter++;
  return CUDA_SUCCESS;
}

static CUresult run_overrun(unsigned char at[PARAMS][PARAM_BYTES]) {
  for (int i = 0; i <= ARG(int, 1); i++) ARG(int *, 0)[i] = i;
  return CUDA_SUCCESS;
}

static CUresult run_fault(unsigned char at[PARAMS][PARAM_BYTES]) {
  (void)at;
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static CUresult run_spin(unsigned char at[PARAMS][PARAM_BYTES]) {
  (void)at;
  while (pause() < 0) continue; // for ever
  return CUDA_SUCCESS;
}

static const kernel kernels[] = {
  {"scale", 4, {8, 8, 4, 4}, run_scale},     {"accumulate", 2, {8, 4}, run_accumulate}, {"counter", 1, {8}, run_counter},
  {"overrun", 2, {8, 4}, run_overrun},       {"fault", 1, {8}, run_fault},              {"spin", 1, {8}, run_spin},
};

static CUresult load(CUmodule *m, const void *image) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuModuleLoadData", NULL);
  pthread_mutex_unlock(&fake_lock);
  if (rc != CUDA_SUCCESS) return rc;
  if (!memcmp(image, "\177ELF", 4)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!strstr(image, ".version")) return CUDA_ERROR_INVALID_PTX;
  *m = calloc(1, sizeof **m);
  if (!*m || !((*m)->text = strdup(image))) return CUDA_ERROR_OUT_OF_MEMORY;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *m, const void *image) { return load(m, image); }

CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned int n, CUjit_option *options, void **values) {
  CUresult rc = load(m, image);
  for (unsigned int i = 0; rc == CUDA_ERROR_INVALID_PTX && i < n; i++)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) strcpy(values[i], "ptxas fatal : no .version (the pretend driver says so)");
  return rc;
}

CUresult cuModuleUnload(CUmodule m) {
  free(m->text);
  free(m);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  char entry[128];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  if (!strstr(m->text, entry)) return CUDA_ERROR_NOT_FOUND;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!strcmp(kernels[i].name, name)) {
      if (!(*f = calloc(1, sizeof **f))) return CUDA_ERROR_OUT_OF_MEMORY;
      (*f)->k = &kernels[i];
      return CUDA_SUCCESS;
    }
  fprintf(stderr, "fakecuda: kernel %s is not compiled in\n", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction f) {
  (void)f;
  switch (a) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = 1024; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = 12; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *v = 70; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = 90; return CUDA_SUCCESS;
  default: *v = 0; return CUDA_SUCCESS;
  }
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
  (void)f, (void)a;
  return v <= 232448 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size) {
  if (i >= (size_t)f->k->params) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * i, *size = (size_t)f->k->sizes[i];
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared) {
  (void)f, (void)shared;
  *blocks = threads > 0 ? 2048 / threads : 0;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                        unsigned int bz, unsigned int shared, CUstream s, void **params, void **extra) {
  (void)shared;
  if (!gx || !gy || !gz || (unsigned long long)bx * by * bz > 1024 || extra) return CUDA_ERROR_INVALID_VALUE;
  op o = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = f->k};
  for (int i = 0; i < f->k->params; i++) memcpy(o.params[i], params[i], (size_t)f->k->sizes[i]);
  return submit(s, o, NULL);
}
