// What the probe's own part of a launch costs: its callback is called as CUPTI calls it, with nothing else around. Built
// twice: as the program, and as the library that the probe takes for CUPTI. bench PROBE.so, with GATEBOT_CUPTI=bench.so.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int site; const char *function; const void *params; void *returned; const char *symbol; void *context;
  uint32_t context_uid; uint64_t *correlation; uint32_t correlation_id;
} callback_data;
typedef void (*callback_fn)(void *, int, uint32_t, const callback_data *);
callback_fn fn;
int cuptiSubscribe(void **s, callback_fn f, void *u) { (void)u; fn = f; *s = &fn; return 0; }
int cuptiEnableCallback(uint32_t on, void *s, int d, uint32_t id) { (void)on, (void)s, (void)d, (void)id; return 0; }
int cuptiGetCallbackName(int d, uint32_t id, const char **name) { if (d != 1 || id != 1) return 1; *name = "cuLaunchKernel"; return 0; }
int cuptiGetVersion(uint32_t *v) { return *v = 28, 0; }
int cuptiGetResultString(int r, const char **t) { (void)r; *t = "x"; return 0; }
int cuCtxGetDevice(int *d) { return *d = 0, 0; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }

int main(int argc, char **argv) {
  (void)argc;
  void *lib = dlopen(argv[1], RTLD_NOW);
  if (!lib) return fprintf(stderr, "%s\n", dlerror()), 1;
  ((int (*)(void))dlsym(lib, "InitializeInjection"))();
  void (*arm)(void) = dlsym(lib, "gatebot_arm"), (*disarm)(void) = dlsym(lib, "gatebot_disarm"), (*end)(void) = dlsym(lib, "gatebot_end");
  enum { KERNELS = 20, STEP = 2440, STEPS = 200 };
  char *names[KERNELS];
  for (int i = 0; i < KERNELS; i++) {
    names[i] = malloc(400);
    memset(names[i], 'a' + i, 180), sprintf(names[i] + 180, "%d", i);
  }
  struct { const void *f; unsigned grid[3], block[3], smem; void *stream; } p = {0, {40, 1, 1}, {128, 1, 1}, 0, (void *)0x55};
  int code = 0, ctx;
  double best = 1e18, flushing = 1e18;
  for (int s = 0; s < STEPS; s++) {
    arm();
    double spent = 0, began = now();
    for (int i = 0; i < STEP; i++) {
      uint64_t c = 0;
      callback_data d = {.function = "cuLaunchKernel", .params = &p, .symbol = names[i % KERNELS], .context = &ctx, .correlation = &c};
      fn(NULL, 1, 1, &d);
      d.site = 1, d.returned = &code;
      fn(NULL, 1, 1, &d);
    }
    spent = now() - began;
    double a = now();
    disarm();
    double b = now() - a;
    if (spent / STEP < best) best = spent / STEP;
    if (b < flushing) flushing = b;
  }
  printf("%.1f ns a launch, disarm %.1f us\n", best, flushing / 1e3);
  end();
}
