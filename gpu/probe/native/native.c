#include "native.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { NATIVE_MAX = 40 };

static void *own; // base of this library

void native_init(void) {
  void *pc[4];
  Dl_info info;
  backtrace(pc, 4); // the first call loads libgcc_s, which must not happen inside a callback
  if (dladdr((void *)native_init, &info)) own = info.dli_fbase;
}

void native_frames(thread *t) {
  void *pc[NATIVE_MAX];
  int n = backtrace(pc, NATIVE_MAX);
  bool any = false;
  for (int i = 0; i < n && t->len - t->start < LINE_ROOM - FRAME_ROOM; i++) {
    Dl_info info;
    // The return address lies behind the call, which may be the last instruction of its function.
    if (!dladdr((char *)pc[i] - 1, &info) || !info.dli_fname || info.dli_fbase == own) continue;
    put(t, any ? ",{\"module\":" : ",\"native\":[{\"module\":");
    any = true;
    put_string(t, info.dli_fname);
    if (info.dli_sname) put(t, ",\"sym\":"), put_string(t, info.dli_sname);
    put(t, ",\"off\":"), put_i64(t, (char *)pc[i] - (char *)(info.dli_sname ? info.dli_saddr : info.dli_fbase));
    put(t, "}");
  }
  if (any) put(t, "]");
}
