#include "driver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_TYPE = 2, IS_MANAGED = 8, ERROR_INVALID_VALUE = 1, CC_MAJOR = 75, CC_MINOR = 76, DEVICES = 64 };

static struct {
  int (*PointerGet)(void *data, int attribute, uint64_t pointer);
  int (*CtxGetDevice)(int *device);
  int (*Name)(char *name, int len, int device);
  int (*Attribute)(int *value, int attribute, int device);
  int (*UUID)(unsigned char uuid[16], int device);
  int (*TotalMem)(size_t *bytes, int device);
  int (*Version)(int *version);
} cu;

static char cupti_path[4096];
static uint32_t cupti_version;
static atomic_bool described[DEVICES];

void driver_init(void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
  struct { void *at; const char *name, *other; } want[] = {
      {&cu.PointerGet, "cuPointerGetAttribute", 0}, {&cu.CtxGetDevice, "cuCtxGetDevice", 0},
      {&cu.Name, "cuDeviceGetName", 0},             {&cu.Attribute, "cuDeviceGetAttribute", 0},
      {&cu.UUID, "cuDeviceGetUuid_v2", "cuDeviceGetUuid"}, {&cu.TotalMem, "cuDeviceTotalMem_v2", "cuDeviceTotalMem"},
      {&cu.Version, "cuDriverGetVersion", 0},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    void *f = dlsym(lib ? lib : RTLD_DEFAULT, want[i].name);
    if (!f && want[i].other) f = dlsym(lib ? lib : RTLD_DEFAULT, want[i].other);
    memcpy(want[i].at, &f, sizeof f);
  }
}

void driver_cupti(const char *path, uint32_t version) {
  snprintf(cupti_path, sizeof cupti_path, "%s", path);
  cupti_version = version;
}

const char *memory_kind(const void *p) {
  unsigned type = 0, managed = 0;
  if (!cu.PointerGet || !p) return "unknown";
  int code = cu.PointerGet(&type, MEMORY_TYPE, (uint64_t)(uintptr_t)p);
  if (code == ERROR_INVALID_VALUE) return "pageable"; // the driver does not know the address
  if (code != 0) return "unknown";
  if (cu.PointerGet(&managed, IS_MANAGED, (uint64_t)(uintptr_t)p) == 0 && managed) return "managed";
  return type == 1 ? "pinned" : type == 2 ? "device" : type == 3 ? "array" : "unknown";
}

static void put_driver_version(thread *t) {
  char text[64];
  int fd = open("/sys/module/nvidia/version", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, text, sizeof text);
  close(fd);
  if (n <= 0) return;
  put(t, ",\"driver\":"), put_string_n(t, text, (size_t)n - (text[n - 1] == '\n'));
}

static void describe(thread *t) {
  char name[128] = "", text[64];
  int major = 0, minor = 0, version = 0;
  size_t total = 0;
  unsigned char id[16];
  if (cu.Name) cu.Name(name, sizeof name, t->device);
  if (cu.Attribute) cu.Attribute(&major, CC_MAJOR, t->device), cu.Attribute(&minor, CC_MINOR, t->device);
  if (!line_begin(t, "device", now_ns())) return;
  put(t, ",\"name\":"), put_string(t, name);
  snprintf(text, sizeof text, "%d.%d", major, minor);
  put(t, ",\"cc\":"), put_string(t, text);
  if (cu.UUID && cu.UUID(id, t->device) == 0) {
    int n = snprintf(text, sizeof text, "GPU-");
    for (int i = 0; i < 16; i++)
      n += snprintf(text + n, sizeof text - n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    put(t, ",\"uuid\":"), put_string(t, text);
  }
  put_driver_version(t);
  if (cu.Version && cu.Version(&version) == 0) {
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    put(t, ",\"cuda\":"), put_string(t, text);
  }
  if (cu.TotalMem && cu.TotalMem(&total, t->device) == 0) put(t, ",\"mem\":"), put_i64(t, (int64_t)total);
  put(t, ",\"cupti\":"), put_string(t, cupti_path);
  put(t, ",\"cupti_version\":"), put_i64(t, cupti_version);
  line_end(t);
}

void device_of(thread *t, const callback_data *d) {
  if (d->context == t->context || !d->context || !cu.CtxGetDevice) return;
  int device;
  if (cu.CtxGetDevice(&device) != 0) return; // no current context: asked again at the next call
  t->context = d->context;
  t->device = device;
  if (device >= 0 && device < DEVICES && !atomic_exchange(&described[device], true)) describe(t);
}
