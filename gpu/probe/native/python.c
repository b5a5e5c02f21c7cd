#include "python.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

enum { FRAMES_MAX = 64 };

typedef void object;

// What the probe calls of the interpreter. All of it is exported by every CPython of the version named, else optional.
static struct {
  bool found;
  int minor;
  int (*IsInitialized)(void), (*IsFinalizing)(void);
  int (*GILCheck)(void), (*GILEnsure)(void);
  void (*GILRelease)(int);
  void *(*ThisThread)(void);
  object *(*GetFrame)(void *tstate), *(*GetBack)(object *), *(*GetCode)(object *); // 3.9
  int (*GetLine)(object *), (*Addr2Line)(const void *code, int addr);
  object *(*GetAttr)(object *, const char *);
  const char *(*AsUTF8)(object *);
  void (*DecRef)(object *);
  void (*ErrFetch)(object **, object **, object **), (*ErrRestore)(object *, object *, object *);
  int (*Run)(const char *, void *flags);
  int (*AddPending)(int (*)(void *), void *);
  const char *(*Version)(void);
} py;

static const layout *unlocked; // how to read frames without the GIL; NULL: not known, or not verified
static enum { UNTRIED, VERIFIED, REFUSED } verified;

static int at_object(struct dl_phdr_info *info, size_t size, void *handle) {
  (void)size;
  const char *base = strrchr(info->dlpi_name, '/');
  if (!base || strncmp(base, "/libpython3", 11)) return 0;
  *(void **)handle = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW);
  return *(void **)handle != NULL;
}

bool python_here(void) {
  if (py.found) return true;
  void *lib = RTLD_DEFAULT;
  if (!dlsym(lib, "PyGILState_Ensure")) { // embedded, with its library opened locally
    lib = NULL;
    dl_iterate_phdr(at_object, &lib);
    if (!lib || !dlsym(lib, "PyGILState_Ensure")) return false;
  }
  struct { void *at; const char *name, *other; bool optional; } want[] = {
      {&py.IsInitialized, "Py_IsInitialized", 0, 0},       {&py.IsFinalizing, "Py_IsFinalizing", "_Py_IsFinalizing", 1},
      {&py.GILCheck, "PyGILState_Check", 0, 0},            {&py.GILEnsure, "PyGILState_Ensure", 0, 0},
      {&py.GILRelease, "PyGILState_Release", 0, 0},        {&py.ThisThread, "PyGILState_GetThisThreadState", 0, 0},
      {&py.GetFrame, "PyThreadState_GetFrame", 0, 1},      {&py.GetBack, "PyFrame_GetBack", 0, 1},
      {&py.GetCode, "PyFrame_GetCode", 0, 0},              {&py.GetLine, "PyFrame_GetLineNumber", 0, 0},
      {&py.Addr2Line, "PyCode_Addr2Line", 0, 1},           {&py.GetAttr, "PyObject_GetAttrString", 0, 0},
      {&py.AsUTF8, "PyUnicode_AsUTF8", 0, 0},              {&py.DecRef, "Py_DecRef", 0, 0},
      {&py.ErrFetch, "PyErr_Fetch", 0, 0},                 {&py.ErrRestore, "PyErr_Restore", 0, 0},
      {&py.Run, "PyRun_SimpleStringFlags", 0, 0},          {&py.AddPending, "Py_AddPendingCall", 0, 0},
      {&py.Version, "Py_GetVersion", 0, 0},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    void *f = dlsym(lib, want[i].name);
    if (!f && want[i].other) f = dlsym(lib, want[i].other);
    if (!f && !want[i].optional) return false;
    memcpy(want[i].at, &f, sizeof f);
  }
  const char *v = py.Version();
  py.minor = !strncmp(v, "3.", 2) ? atoi(v + 2) : 0;
  unlocked = strstr(v, "free-threading") || !py.Addr2Line ? NULL : layout_of(py.minor);
  py.found = true;
  return true;
}

bool python_alive(void) { return python_here() && py.IsInitialized() && !(py.IsFinalizing && py.IsFinalizing()); }

bool python_version(char *text, size_t n) {
  if (!python_here()) return false;
  const char *v = py.Version();
  snprintf(text, n, "%.*s", (int)strcspn(v, " "), v);
  return true;
}

// --- with the GIL

typedef struct { const void *code; int line; } place; // code is only an identity

static void put_attr(thread *t, object *code, const char *name, const char *other) {
  object *v = py.GetAttr(code, name);
  if (!v && other) v = py.GetAttr(code, other);
  const char *s = v ? py.AsUTF8(v) : NULL;
  put_string(t, s ? s : "?");
  if (v) py.DecRef(v);
}

// Walks this thread's frames while it has the GIL, and puts them when t is given. Gives their number.
static int walk_locked(thread *t, place *places) {
  object *type, *value, *trace;
  py.ErrFetch(&type, &value, &trace); // the call may be made while an exception is on its way
  int n = 0;
  for (object *f = py.GetFrame(py.ThisThread()); f;) {
    object *code = py.GetCode(f);
    int line = py.GetLine(f);
    if (n < FRAMES_MAX) {
      places[n] = (place){code, line};
      if (t && t->len - t->start < LINE_ROOM - FRAME_ROOM) {
        put(t, n ? ",{\"file\":" : ",\"frames\":[{\"file\":"), put_attr(t, code, "co_filename", NULL);
        put(t, ",\"line\":"), put_i64(t, line > 0 ? line : 0);
        put(t, ",\"func\":"), put_attr(t, code, "co_qualname", "co_name");
        put(t, "}");
      }
      n++;
    }
    py.DecRef(code);
    object *back = n < FRAMES_MAX ? py.GetBack(f) : NULL;
    py.DecRef(f);
    f = back;
  }
  if (t && n) put(t, "]");
  py.ErrRestore(type, value, trace);
  return n;
}

// --- without the GIL
//
// A thread in a callback does not run Python, so nobody changes its frames: they are read in place, as a debugger reads
// them from outside, without reference counts and without waiting for anybody. Waiting for the GIL is what can hang: a
// framework's allocator calls CUDA with its own lock held, and a thread that has the GIL may want that lock.

static int walk_unlocked(thread *t, place *places) {
  char *tstate = py.ThisThread();
  int n = 0;
  for (char *f = tstate ? frame_top(unlocked, tstate) : NULL; f && n < FRAMES_MAX; f = frame_back(unlocked, f)) {
    if (!frame_is_python(unlocked, f)) continue;
    char *code = frame_code(unlocked, f);
    int line = py.Addr2Line(code, frame_offset(unlocked, f, code));
    places[n] = (place){code, line};
    if (t && t->len - t->start < LINE_ROOM - FRAME_ROOM) {
      put(t, n ? ",{\"file\":" : ",\"frames\":[{\"file\":"), put_unicode(t, unlocked, code_file(unlocked, code));
      put(t, ",\"line\":"), put_i64(t, line > 0 ? line : 0);
      put(t, ",\"func\":"), put_unicode(t, unlocked, code_name(unlocked, code));
      put(t, "}");
    }
    n++;
  }
  if (t && n) put(t, "]");
  return n;
}

// Reads one stack both ways and believes the layout only when they agree. The GIL is held.
static void verify(void) {
  if (verified != UNTRIED || !unlocked || !py.GetFrame || !py.GetBack) return;
  place a[FRAMES_MAX], b[FRAMES_MAX];
  int n = walk_locked(NULL, a);
  if (n == 0) return;
  verified = n == walk_unlocked(NULL, b) ? VERIFIED : REFUSED;
  for (int i = 0; i < n && verified == VERIFIED; i++)
    if (a[i].code != b[i].code || a[i].line != b[i].line) verified = REFUSED;
}

bool python_frames(thread *t, bool may_wait) {
  if (!python_alive() || !py.ThisThread()) return false;
  place places[FRAMES_MAX];
  bool held = py.GILCheck();
  if (held) verify();
  if (verified == VERIFIED) return walk_unlocked(t, places) > 0;
  if (!py.GetFrame || !py.GetBack || (!held && !may_wait)) return false;
  int state = held ? 0 : py.GILEnsure();
  verify();
  bool any = walk_locked(t, places) > 0;
  if (!held) py.GILRelease(state);
  return any;
}

static int verify_pending(void *unused) {
  (void)unused;
  if (python_alive() && py.ThisThread()) verify();
  return 0;
}

void python_prepare(void) {
  if (!python_alive() || !unlocked) return;
  if (py.ThisThread() && py.GILCheck()) verify();
  if (verified == UNTRIED) py.AddPending(verify_pending, NULL); // full: then the first call with the GIL does it
}

// --- running Python

static int run_pending(void *source) {
  object *type, *value, *trace;
  py.ErrFetch(&type, &value, &trace);
  if (py.Run(source, NULL) != 0) out_error("region_func", "the wrapper of --region-func raised (its traceback is above)", "");
  py.ErrRestore(type, value, trace);
  return 0;
}

void python_run(const char *source) {
  if (!python_alive()) {
    out_error("region_func", "--region-func: there is no Python in this process", "name regions by marks or NVTX ranges");
    return;
  }
  if (py.ThisThread() && py.GILCheck()) run_pending((void *)source);
  else if (py.AddPending(run_pending, (void *)source) != 0)
    out_error("region_func", "--region-func: the interpreter takes no pending call", "");
}
