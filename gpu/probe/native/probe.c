// gatebot-probe: records what a program asks of CUDA. It is loaded by the driver itself (CUDA_INJECTION64_PATH), sees
// every runtime and driver call through CUPTI's callback API, and judges nothing.
//
// Manners: it links no CUDA, allocates nothing in the callback, never exits or aborts the program, and says every reason
// why the record may not be whole as an error event in the trace and one line on stderr.
#include "probe.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "cupti.h"
#include "driver.h"
#include "launches.h"
#include "native.h"
#include "out.h"
#include "python.h"
#include "record.h"
#include "region.h"

enum { IDS = 4096, GAP = 200 }; // callback ids; holes in their numbering are shorter than GAP

static cupti_api cupti;
static void *subscriber;
static const call_info *wanted[3][IDS]; // by domain and callback id
static atomic_bool armed, forked;
static pthread_mutex_t arming = PTHREAD_MUTEX_INITIALIZER;

static void callback(void *user, int domain, uint32_t id, const callback_data *d) {
  (void)user;
  if (id >= IDS || (domain != DOMAIN_RUNTIME && domain != DOMAIN_DRIVER)) return;
  const call_info *c = wanted[domain][id];
  if (!c) return;
  thread *t = thread_self();
  if (!t) return out_lost();
  if (t->inside) return; // what the probe itself asks of the driver
  bool runtime = domain == DOMAIN_RUNTIME;
  if (d->site == SITE_ENTER) {
    if (runtime && t->depth++ == 0) t->outer = c->class;
    *d->correlation = c->class == C_LAUNCH ? ticks() : (uint64_t)now_ns();
    return;
  }
  if (runtime) {
    if (t->depth > 0) t->depth--; // 0: it was entered before the probe was armed
    if (t->depth > 0) return;
  } else if (t->depth > 0 && (c->class != C_MODULE || t->outer == C_MODULE)) {
    return; // the runtime's own call, recorded as such; but code loaded on the way is worth its line
  }
  t->inside = true;
  record(t, c, domain, d, *d->correlation);
  t->inside = false;
}

// --- finding CUPTI

static bool bind(void *lib) {
  if (!lib) return false;
  struct { void *at; const char *name; } want[] = {
      {&cupti.subscribe, "cuptiSubscribe"},        {&cupti.enable, "cuptiEnableCallback"},
      {&cupti.name, "cuptiGetCallbackName"},       {&cupti.version, "cuptiGetVersion"},
      {&cupti.result_string, "cuptiGetResultString"},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    void *f = dlsym(lib, want[i].name);
    if (!f) return false;
    memcpy(want[i].at, &f, sizeof f);
  }
  Dl_info info;
  uint32_t version = 0;
  cupti.version(&version);
  void *at;
  memcpy(&at, &cupti.subscribe, sizeof at);
  driver_cupti(dladdr(at, &info) && info.dli_fname ? info.dli_fname : "", version);
  return true;
}

static void *open_named(const char *dir, const char *rest) {
  char path[4096];
  int n = snprintf(path, sizeof path, "%s%s", dir, rest);
  return n < (int)sizeof path && access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW) : NULL;
}

static int loaded_cupti(struct dl_phdr_info *info, size_t size, void *lib) {
  (void)size;
  const char *base = strrchr(info->dlpi_name, '/');
  if (base && !strncmp(base, "/libcupti.so", 12)) *(void **)lib = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW);
  return *(void **)lib != NULL;
}

// The CUPTI that came with the framework: in nvidia/ beside it in site-packages, or in torch's own lib directory.
static int framework_cupti(struct dl_phdr_info *info, size_t size, void *lib) {
  (void)size;
  static const char *const at[] = {"nvidia/cu13/lib/libcupti.so.13", "nvidia/cuda_cupti/lib/libcupti.so.13",
                                   "nvidia/cuda_cupti/lib/libcupti.so.12", "nvidia/cuda_cupti/lib/libcupti.so.11.8",
                                   "torch/lib/libcupti.so.12", "torch/lib/libcupti.so.11.8"};
  const char *site = strstr(info->dlpi_name, "/site-packages/");
  size_t skip = strlen("/site-packages/");
  if (!site) site = strstr(info->dlpi_name, "/dist-packages/"), skip = strlen("/dist-packages/");
  if (!site) return 0;
  char dir[4096];
  snprintf(dir, sizeof dir, "%.*s", (int)(site - info->dlpi_name + skip), info->dlpi_name);
  for (size_t i = 0; i < sizeof at / sizeof *at && !*(void **)lib; i++) *(void **)lib = open_named(dir, at[i]);
  return *(void **)lib != NULL;
}

static bool find_cupti(void) {
  const char *told = getenv("GATEBOT_CUPTI");
  if (told && *told) return bind(dlopen(told, RTLD_NOW));
  void *lib = NULL;
  dl_iterate_phdr(loaded_cupti, &lib);
  if (bind(lib)) return true;
  lib = NULL;
  dl_iterate_phdr(framework_cupti, &lib);
  if (bind(lib)) return true;
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so",
                                      "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (bind(dlopen(names[i], RTLD_NOW))) return true;
  return false;
}

// --- arming

// Whether GATEBOT_DISABLE_DETECTOR, a list with commas, names "probe" (class C_NONE), or "probe.sync" and so on. It is
// there to show that a blind probe is noticed; whoever reads the trace finds an error in it.
static bool disabled(call_class class) {
  const char *v = getenv("GATEBOT_DISABLE_DETECTOR");
  char want[64];
  size_t n = (size_t)snprintf(want, sizeof want, class == C_NONE ? "probe" : "probe.%s", class_name(class));
  for (; v && *v; v += strcspn(v, ","), v += *v == ',') {
    v += strspn(v, " ");
    if (!strncmp(v, want, n) && (!v[n] || strchr(", ", v[n]))) return true;
  }
  return false;
}

// Asks CUPTI for the name of every callback id and keeps those that the table knows. A launch by the runtime ends in the
// driver's, and CUPTI names the kernel there too: with the driver's alone a launch is half as dear to watch.
static int learn(void) {
  int found = 0;
  bool launches = false;
  for (int domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++) {
    int missing = 0;
    for (uint32_t id = 1; id < IDS && missing < GAP; id++) {
      const char *name = NULL;
      if (cupti.name(domain, id, &name) != CUPTI_OK || !name) {
        missing++;
        continue;
      }
      missing = 0;
      const call_info *c = call_find(name);
      if (c && disabled(c->class)) c = NULL;
      if (c && c->class == C_LAUNCH && domain == DOMAIN_DRIVER) launches = true;
      if (c && c->class == C_LAUNCH && domain == DOMAIN_RUNTIME && launches) c = NULL;
      wanted[domain][id] = c;
      found += wanted[domain][id] != NULL;
    }
  }
  return found;
}

static void set_armed(bool on) {
  pthread_mutex_lock(&arming);
  if (subscriber && armed != on) {
    for (int domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++)
      for (uint32_t id = 1; id < IDS; id++)
        if (wanted[domain][id]) cupti.enable(on, subscriber, domain, id);
    armed = on;
    launches_armed(on);
  }
  pthread_mutex_unlock(&arming);
}

bool probe_armed(void) { return armed; }

void gatebot_arm(void) { set_armed(true); }

void gatebot_disarm(void) {
  set_armed(false);
  gatebot_flush();
}

void gatebot_end(void) {
  set_armed(false);
  out_close("exit");
}

int gatebot_active(void) { return subscriber && out_open() && !forked; }

void out_forked(void) {
  pthread_mutex_init(&arming, NULL);
  forked = true;
}

// --- life

static void leave(void) { out_close("exit"); }

static void once(void) {
  out_init();
  launches_init();
  record_init();
  native_init();
  atexit(leave);
}

__attribute__((constructor)) static void loaded(void) {
  static pthread_once_t done = PTHREAD_ONCE_INIT;
  pthread_once(&done, once);
}

static void subscribe(void) {
  if (!find_cupti()) {
    out_error("no_cupti", "no libcupti in this process or on this machine, nothing is recorded",
              "install the framework's nvidia-cuda-cupti package, or name the library in GATEBOT_CUPTI");
    return;
  }
  int code = cupti.subscribe(&subscriber, callback, NULL);
  if (code != CUPTI_OK) {
    subscriber = NULL;
    const char *why = "";
    char text[256];
    cupti.result_string(code, &why);
    if (code == CUPTI_MULTIPLE_SUBSCRIBERS || code == CUPTI_MAX_LIMIT) {
      out_error("slot_taken", "another tool holds CUPTI's one subscriber slot, nothing is recorded",
                "run without nsys, ncu, compute-sanitizer or another profiler");
      return;
    }
    snprintf(text, sizeof text, "cuptiSubscribe: %s (%d), nothing is recorded", why, code);
    out_error("cupti", text, "does this libcupti fit the driver?");
    return;
  }
  if (disabled(C_NONE)) {
    out_error("detector_disabled", "GATEBOT_DISABLE_DETECTOR switches the probe off, nothing is recorded", "");
    return;
  }
  for (call_class c = C_SYNC; c <= C_LAUNCH; c++)
    if (disabled(c)) out_error("detector_disabled", "GATEBOT_DISABLE_DETECTOR switches off a part of the probe", class_name(c));
  if (learn() == 0) {
    out_error("cupti", "libcupti names none of the calls that matter, nothing is recorded", "another libcupti may be meant");
    return;
  }
  const char *arm = getenv("GATEBOT_ARM");
  set_armed(!arm || strcmp(arm, "0") != 0);
}

int InitializeInjection(void) {
  static atomic_bool done;
  if (atomic_exchange(&done, true) || !out_open()) return 1;
  driver_init();
  thread *t = thread_self();
  if (!t) {
    out_error("memory", "no memory for the first thread, nothing is recorded", "");
    return 1;
  }
  python_prepare();
  subscribe();
  Dl_info info;
  if (dladdr((void *)InitializeInjection, &info) && info.dli_fname) region_funcs(info.dli_fname);
  return 1;
}
