#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static row rows[256];
static int count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void die(const char *what, const char *which) {
  fprintf(stderr, "fakecuda: %s: %s\n", what, which);
  abort();
}

static void load(void) {
  const char *path = getenv("FAKECUDA_TABLE");
  if (!path) path = FAKECUDA_DEFAULT_TABLE;
  FILE *f = fopen(path, "r");
  if (!f) die("no table of measured codes", path);
  char line[512];
  while (fgets(line, sizeof line, f)) {
    row r;
    // mode, call, call_code, call_name, status_after, end_code
    if (sscanf(line, "%15[^\t]\t%95[^\t]\t%d\t%*[^\t]\t%15[^\t]\t%d", r.mode, r.call, &r.call_code, r.status,
               &r.end_code) != 5)
      continue; // the notes and the head
    if (count == (int)(sizeof rows / sizeof *rows)) die("too many rows", path);
    rows[count++] = r;
  }
  fclose(f);
  if (!count) die("no row in the table", path);
}

const row *table_row(CUstreamCaptureMode mode, const char *call) {
  pthread_once(&once, load);
  const char *name = mode == CU_STREAM_CAPTURE_MODE_GLOBAL         ? "global"
                     : mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? "thread_local"
                                                                   : "relaxed";
  for (int i = 0; i < count; i++)
    if (!strcmp(rows[i].mode, name) && !strcmp(rows[i].call, call)) return &rows[i];
  die("nobody has measured", call);
  return NULL;
}
