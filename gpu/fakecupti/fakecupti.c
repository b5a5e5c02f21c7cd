// A pretend libcupti.so for machines without a GPU, with as much of a pretend CUDA in it as the tests of the probe drive:
// each call fires the callbacks that the real one does, runtime outside and driver inside, with parameter structs laid
// out as CUPTI's.
//
// FAKECUPTI_TAKEN=1 makes cuptiSubscribe find its slot taken. FAKECUPTI_CODE=N makes cudaStreamSynchronize return N.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int site;
  const char *function;
  const void *params;
  void *returned;
  const char *symbol;
  void *context;
  uint32_t context_uid;
  uint64_t *correlation;
  uint32_t correlation_id;
} callback_data;

typedef void (*callback_fn)(void *user, int domain, uint32_t id, const callback_data *d);

enum { DRIVER = 1, RUNTIME = 2 };

// Callback ids are positions here, with a hole as the real numbering has holes.
static const char *const names[3][32] = {
    [DRIVER] = {"", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemAlloc_v2", "cuLaunchKernel", NULL,
                "cuCtxSynchronize", "cuMemcpyHtoDAsync_v2", "cuModuleLoadData", "cuPointerGetAttribute", "cuEventQuery",
                "cuMemHostAlloc", "cuStreamBeginCapture_v2", "cuStreamSynchronize_ptsz"},
    [RUNTIME] = {"", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020", "cudaMalloc_v3020", "cudaLaunchKernel_v7000",
                 NULL, "cudaDeviceSynchronize_v3020", "cudaPointerGetAttributes_v4000", "cudaEventQuery_v3020",
                 "cudaHostAlloc_v3020", "cudaStreamBeginCapture_v10000"},
};

static callback_fn fn;
static char enabled[3][32];
static int context_object;

int cuptiSubscribe(void **subscriber, callback_fn f, void *user) {
  (void)user;
  const char *taken = getenv("FAKECUPTI_TAKEN");
  if (fn || (taken && *taken == '1')) return 39;
  fn = f;
  *subscriber = &fn;
  return 0;
}

int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t id) {
  if (subscriber != &fn || domain < DRIVER || domain > RUNTIME || id >= 32) return 1;
  enabled[domain][id] = on != 0;
  return 0;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char **name) {
  if (domain < DRIVER || domain > RUNTIME || id == 0 || id >= 32 || !names[domain][id]) return 1;
  *name = names[domain][id];
  return 0;
}

int cuptiGetVersion(uint32_t *version) { return *version = 28, 0; }
int cuptiGetResultString(int result, const char **text) { return *text = result == 39 ? "MULTIPLE_SUBSCRIBERS" : "ERROR", 0; }

// --- callbacks

typedef struct { int domain; uint32_t id; int code; uint64_t correlation; callback_data d; } call;

static int find(int domain, const char *name) {
  for (int i = 1; i < 32; i++)
    if (names[domain][i] && !strcmp(names[domain][i], name)) return i;
  abort();
}

static call enter(int domain, const char *name, const void *params, const char *symbol) {
  call c = {.domain = domain, .id = find(domain, name), .d = {.function = name, .params = params, .symbol = symbol, .context = &context_object}};
  c.d.correlation = &c.correlation;
  if (fn && enabled[domain][c.id]) fn(NULL, domain, c.id, &c.d);
  c.d.correlation = NULL; // it points into this frame
  return c;
}

static int leave(call *c, int code) {
  c->d.correlation = &c->correlation; // c has moved since enter
  c->code = code, c->d.site = 1, c->d.returned = &c->code;
  if (fn && enabled[c->domain][c->id]) fn(NULL, c->domain, c->id, &c->d);
  return code;
}

// --- the driver

static struct { char *at; size_t n; unsigned type; } ranges[256];
static int range_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocate(size_t n, unsigned type) {
  void *p = malloc(n ? n : 1);
  pthread_mutex_lock(&lock);
  if (range_count < 256) ranges[range_count].at = p, ranges[range_count].n = n, ranges[range_count++].type = type;
  pthread_mutex_unlock(&lock);
  return p;
}

int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer) {
  for (int i = 0; i < range_count; i++)
    if ((char *)(uintptr_t)pointer >= ranges[i].at && (char *)(uintptr_t)pointer < ranges[i].at + ranges[i].n) {
      *(unsigned *)data = attribute == 2 ? ranges[i].type : 0;
      return 0;
    }
  return 1;
}

int cuCtxGetDevice(int *device) { return *device = 0, 0; }
int cuDeviceGetName(char *name, int n, int device) { return (void)device, strncpy(name, "Pretend GPU", n), 0; }
int cuDeviceGetAttribute(int *v, int attribute, int device) { return (void)device, *v = attribute == 75 ? 9 : 0, 0; }
int cuDriverGetVersion(int *v) { return *v = 13000, 0; }

// Loads the injected library as the real cuInit does.
int cuInit(unsigned flags) {
  (void)flags;
  const char *path = getenv("CUDA_INJECTION64_PATH");
  void *lib = path ? dlopen(path, RTLD_NOW) : NULL;
  int (*initialize)(void);
  void *f = lib ? dlsym(lib, "InitializeInjection") : NULL;
  if (!f) return 0;
  memcpy(&initialize, &f, sizeof f);
  initialize();
  return 0;
}

int cuStreamSynchronize(void *stream) {
  struct { void *stream; } p = {stream};
  call c = enter(DRIVER, "cuStreamSynchronize", &p, NULL);
  return leave(&c, 0);
}

int cuModuleLoadData(void **module, const void *image) {
  struct { void **module; const void *image; } p = {module, image};
  call c = enter(DRIVER, "cuModuleLoadData", &p, NULL);
  return leave(&c, 0);
}

int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t n, void *stream) {
  struct { uint64_t dst; const void *src; size_t n; void *stream; } p = {dst, src, n, stream};
  call c = enter(DRIVER, "cuMemcpyHtoDAsync_v2", &p, NULL);
  return leave(&c, 0);
}

// --- the runtime

int cudaStreamSynchronize(void *stream) {
  struct { void *stream; } p = {stream};
  const char *code = getenv("FAKECUPTI_CODE");
  call c = enter(RUNTIME, "cudaStreamSynchronize_v3020", &p, NULL);
  cuStreamSynchronize(stream);
  return leave(&c, code ? atoi(code) : 0);
}

int cudaDeviceSynchronize(void) {
  call c = enter(RUNTIME, "cudaDeviceSynchronize_v3020", NULL, NULL), inner = enter(DRIVER, "cuCtxSynchronize", NULL, NULL);
  leave(&inner, 0);
  return leave(&c, 0);
}

int cudaEventQuery(void *event) {
  struct { void *event; } p = {event};
  call c = enter(RUNTIME, "cudaEventQuery_v3020", &p, NULL), inner = enter(DRIVER, "cuEventQuery", &p, NULL);
  leave(&inner, 600);
  return leave(&c, 600);
}

int cudaMalloc(void **out, size_t n) {
  struct { void **out; size_t n; } p = {out, n};
  call c = enter(RUNTIME, "cudaMalloc_v3020", &p, NULL), inner = enter(DRIVER, "cuMemAlloc_v2", &p, NULL);
  *out = allocate(n, 2);
  leave(&inner, 0);
  return leave(&c, 0);
}

int cudaHostAlloc(void **out, size_t n, unsigned flags) {
  struct { void **out; size_t n; unsigned flags; } p = {out, n, flags};
  call c = enter(RUNTIME, "cudaHostAlloc_v3020", &p, NULL), inner = enter(DRIVER, "cuMemHostAlloc", &p, NULL);
  *out = allocate(n, 1);
  leave(&inner, 0);
  return leave(&c, 0);
}

int cudaMemcpyAsync(void *dst, const void *src, size_t n, int kind, void *stream) {
  struct { void *dst; const void *src; size_t n; int kind; void *stream; } p = {dst, src, n, kind, stream};
  call c = enter(RUNTIME, "cudaMemcpyAsync_v3020", &p, NULL);
  memmove(dst, src, n);
  if (kind == 2) {
    call inner = enter(DRIVER, "cuMemcpyDtoHAsync_v2", &p, NULL);
    leave(&inner, 0);
  }
  return leave(&c, 0);
}

int cudaStreamBeginCapture(void *stream, int mode) {
  struct { void *stream; int mode; } p = {stream, mode};
  call c = enter(RUNTIME, "cudaStreamBeginCapture_v10000", &p, NULL), inner = enter(DRIVER, "cuStreamBeginCapture_v2", &p, NULL);
  leave(&inner, 0);
  return leave(&c, 0);
}

// The first launch loads its module, as lazy loading does.
int fakeLaunch(const char *kernel, unsigned blocks, unsigned threads, size_t smem, void *stream) {
  static int loaded;
  struct { const void *f; unsigned grid[3], block[3]; void **args; size_t smem; void *stream; } p =
      {&loaded, {blocks, 1, 1}, {threads, 1, 1}, NULL, smem, stream};
  struct { const void *f; unsigned grid[3], block[3], smem; void *stream; } q = {&loaded, {blocks, 1, 1}, {threads, 1, 1}, (unsigned)smem, stream};
  call c = enter(RUNTIME, "cudaLaunchKernel_v7000", &p, kernel);
  if (!loaded++) cuModuleLoadData(NULL, NULL);
  call inner = enter(DRIVER, "cuLaunchKernel", &q, kernel);
  leave(&inner, 0);
  return leave(&c, 0);
}
