// Measures what a stream capture makes of each call that may break one, in all three modes, and prints the table that
// gpu/fakecuda answers from: mode, call, its code, what the capture is then, the code of the end, kinds of the nodes.
//
//   gcc -std=c11 -D_GNU_SOURCE -I CUDA_INCLUDE modes.c -o modes -lcuda -lpthread && ./modes KERNELS.ptx > table.tsv
//
// KERNELS.ptx is gpu/kernel/testdata/kernels.ptx. Against the pretend driver the output is its own table again, which
// gpu/device/test.sh holds it to.
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUcontext context;
static CUfunction accumulate;
static CUdeviceptr memory, more;
static char *image, pageable[1024];
static void *locked;
static CUstream stream, side, blocking;
static CUevent event;
static CUdeviceptr taken;
static CUstream made;
static CUmodule loaded;
static void *pinned;

static void must(CUresult rc, const char *what) {
  const char *name = "?";
  if (rc == CUDA_SUCCESS) return;
  cuGetErrorName(rc, &name);
  fprintf(stderr, "modes: %s: %d %s\n", what, rc, name);
  exit(3);
}
#define MUST(call) must(call, #call)

static CUresult launch(CUstream s) {
  int n = 16;
  void *params[] = {&memory, &n};
  return cuLaunchKernel(accumulate, 1, 1, 1, 32, 1, 1, 0, s, params, NULL);
}

static void host_function(void *p) { (void)p; }

// What another thread is to do, and what came of it.
static CUresult (*elsewhere)(void);
static CUresult there;
static void *on_thread(void *p) {
  (void)p;
  MUST(cuCtxSetCurrent(context));
  there = elsewhere();
  return NULL;
}
static CUresult thread(CUresult (*f)(void)) {
  pthread_t t;
  elsewhere = f;
  if (pthread_create(&t, NULL, on_thread, NULL) || pthread_join(t, NULL)) exit(3);
  return there;
}

static CUgraph graph;
static CUresult nothing(void) { return CUDA_SUCCESS; }
static CUresult sync_captured(void) { return cuStreamSynchronize(stream); }
static CUresult query_captured(void) { return cuStreamQuery(stream); }
static CUresult sync_other(void) { return cuStreamSynchronize(side); }
static CUresult sync_context(void) { return cuCtxSynchronize(); }
static CUresult alloc(void) { return cuMemAlloc(&taken, 256); }
static CUresult alloc_thread(void) { return thread(alloc); }
static CUresult sync_thread(void) { return thread(sync_other); }
static CUresult alloc_host(void) { return cuMemAllocHost(&pinned, 256); }
static CUresult alloc_async(void) {
  CUdeviceptr p;
  CUresult rc = cuMemAllocAsync(&p, 256, stream);
  return rc ? rc : cuMemFreeAsync(p, stream);
}
static CUresult dtoh(void) { return cuMemcpyDtoH(pageable, memory, 64); }
static CUresult dtoh_locked(void) { return cuMemcpyDtoH(locked, memory, 64); }
static CUresult htod(void) { return cuMemcpyHtoD(more, pageable, 64); }
static CUresult dtoh_async_locked(void) { return cuMemcpyDtoHAsync(locked, memory, 64, stream); }
static CUresult dtoh_async(void) { return cuMemcpyDtoHAsync(pageable, memory, 64, stream); }
static CUresult htod_async(void) { return cuMemcpyHtoDAsync(more, pageable, 64, stream); }
static CUresult dtod(void) { return cuMemcpyDtoD(more, memory, 64); }
static CUresult set(void) { return cuMemsetD32(more, 1, 16); }
static CUresult on_null(void) { return launch(NULL); }
static CUresult on_blocking(void) { return launch(blocking); }
static CUresult on_side(void) { return launch(side); }
static CUresult fork_(void) {
  CUresult rc = cuEventRecord(event, stream);
  if (!rc) rc = cuStreamWaitEvent(side, event, 0);
  return rc ? rc : launch(side);
}
static CUresult fork_join(void) {
  CUresult rc = fork_();
  if (!rc) rc = cuEventRecord(event, side);
  return rc ? rc : cuStreamWaitEvent(stream, event, 0);
}
static CUresult event_query(void) {
  CUresult rc = cuEventRecord(event, stream);
  return rc ? rc : cuEventQuery(event);
}
static CUresult event_sync(void) {
  CUresult rc = cuEventRecord(event, stream);
  return rc ? rc : cuEventSynchronize(event);
}
static CUresult wait_old(void) { return cuStreamWaitEvent(stream, event, 0); }
static CUresult host_func(void) { return cuLaunchHostFunc(stream, host_function, NULL); }
static CUresult load_module(void) { return cuModuleLoadData(&loaded, image); }
static CUresult mem_info(void) {
  size_t f, t;
  return cuMemGetInfo(&f, &t);
}
static CUresult make_stream(void) { return cuStreamCreate(&made, CU_STREAM_NON_BLOCKING); }
static CUresult end(void) { return cuStreamEndCapture(stream, &graph); }
static CUresult end_thread(void) { return thread(end); }
static CUstreamCaptureMode mode;
static CUresult begin_again(void) { return cuStreamBeginCapture(stream, mode); }

static const struct { const char *name; CUresult (*call)(void); } cases[] = {
  {"control (3 launches)", nothing},
  {"cuStreamSynchronize(captured)", sync_captured},
  {"cuStreamQuery(captured)", query_captured},
  {"cuStreamSynchronize(other stream)", sync_other},
  {"cuCtxSynchronize", sync_context},
  {"cuMemAlloc", alloc},
  {"cuMemAlloc on another thread", alloc_thread},
  {"cuStreamSynchronize(other) on another thread", sync_thread},
  {"cuMemAllocHost (pinned)", alloc_host},
  {"cuMemAllocAsync+cuMemFreeAsync on stream", alloc_async},
  {"cuMemcpyDtoH (sync, pageable)", dtoh},
  {"cuMemcpyDtoH (sync, pinned)", dtoh_locked},
  {"cuMemcpyHtoD (sync, pageable)", htod},
  {"cuMemcpyDtoHAsync (pinned)", dtoh_async_locked},
  {"cuMemcpyDtoHAsync (pageable)", dtoh_async},
  {"cuMemcpyHtoDAsync (pageable)", htod_async},
  {"cuMemcpyDtoD (sync)", dtod},
  {"cuMemsetD32 (sync)", set},
  {"launch on NULL stream", on_null},
  {"launch on unrelated blocking stream", on_blocking},
  {"launch on unrelated non-blocking stream", on_side},
  {"fork to side stream, never joined", fork_},
  {"fork to side stream and join", fork_join},
  {"cuEventQuery(captured event)", event_query},
  {"cuEventSynchronize(captured event)", event_sync},
  {"wait on event recorded before capture", wait_old},
  {"cuLaunchHostFunc", host_func},
  {"cuModuleLoadData", load_module},
  {"cuMemGetInfo", mem_info},
  {"cuStreamCreate", make_stream},
  {"second cuStreamBeginCapture", begin_again},
  {"cuStreamEndCapture on another thread", end_thread},
};

static const char *name_of(CUresult rc) {
  const char *s = "?";
  cuGetErrorName(rc, &s);
  return s;
}

static void one(const char *mode_name, const char *name, CUresult (*call)(void)) {
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  MUST(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
  MUST(cuStreamCreate(&blocking, 0));
  MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  MUST(cuEventRecord(event, side));
  MUST(cuCtxSynchronize());
  taken = 0, pinned = NULL, made = NULL, loaded = NULL, graph = NULL;
  MUST(cuStreamBeginCapture(stream, mode));
  for (int i = 0; i < 3; i++) MUST(launch(stream));
  CUresult rc = call();
  CUstreamCaptureStatus status;
  MUST(cuStreamIsCapturing(stream, &status));
  graph = NULL;
  CUresult last = cuStreamEndCapture(stream, &graph);
  printf("%s\t%s\t%d\t%s\t%s\t%d\t%s\t", mode_name, name, rc, name_of(rc),
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? "active" : status == CU_STREAM_CAPTURE_STATUS_NONE ? "none" : "invalidated",
         last, name_of(last));
  if (last == CUDA_SUCCESS) {
    CUgraphNode nodes[16];
    size_t n = 16;
    MUST(cuGraphGetNodes(graph, nodes, &n));
    for (size_t i = 0; i < n; i++) {
      CUgraphNodeType type;
      MUST(cuGraphNodeGetType(nodes[i], &type));
      printf("%s%d", i ? " " : "[", type);
    }
    puts("]");
    MUST(cuGraphDestroy(graph));
  } else {
    puts("-");
  }
  if (taken) MUST(cuMemFree(taken));
  if (pinned) MUST(cuMemFreeHost(pinned));
  if (made) MUST(cuStreamDestroy(made));
  if (loaded) MUST(cuModuleUnload(loaded));
  MUST(cuEventDestroy(event));
  MUST(cuStreamDestroy(side));
  MUST(cuStreamDestroy(blocking));
  MUST(cuStreamDestroy(stream));
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: modes KERNELS.ptx\n"), 2;
  FILE *f = fopen(argv[1], "r");
  if (!f || !(image = calloc(1, 1 << 20)) || fread(image, 1, (1 << 20) - 1, f) == 0) return perror(argv[1]), 2;
  fclose(f);
  CUdevice device;
  CUmodule module;
  char name[128];
  int version;
  MUST(cuInit(0));
  MUST(cuDeviceGet(&device, 0));
  MUST(cuDeviceGetName(name, sizeof name, device));
  MUST(cuDriverGetVersion(&version));
  MUST(cuCtxCreate(&context, 0, device));
  MUST(cuModuleLoadData(&module, image));
  MUST(cuModuleGetFunction(&accumulate, module, "accumulate"));
  MUST(cuMemAlloc(&memory, 1024));
  MUST(cuMemAlloc(&more, 1024));
  MUST(cuMemAllocHost(&locked, 1024));
  MUST(launch(NULL)); // code is loaded at the first launch
  MUST(cuCtxSynchronize());
  printf("device=\"%s\" driver_cuda=%d\n\nmode\tcall\tcall_code\tcall_name\tstatus_after\tend_code\tend_name\tgraph_nodes\n", name, version);
  static const char *modes[] = {"global", "thread_local", "relaxed"};
  static const CUstreamCaptureMode values[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                               CU_STREAM_CAPTURE_MODE_RELAXED};
  for (int m = 0; m < 3; m++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) mode = values[m], one(modes[m], cases[i].name, cases[i].call);
  return 0;
}
