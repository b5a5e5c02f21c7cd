#include "layout.h"

#include <string.h>

static const layout layouts[] = {
    {.minor = 11, .thread_frame = 56, .cframe_frame = 8, .code = 32, .back = 48, .instr = 56, .owner = 69, .file = 112,
     .name = 128, .bytecode = 184, .ascii = 48, .compact = 72},
    {.minor = 12, .thread_frame = 56, .cframe_frame = 0, .code = 0, .back = 8, .instr = 56, .owner = 70, .file = 112,
     .name = 128, .bytecode = 192, .ascii = 40, .compact = 56},
    {.minor = 13, .thread_frame = 72, .cframe_frame = -1, .code = 0, .back = 8, .instr = 56, .owner = 70, .file = 112,
     .name = 128, .bytecode = 200, .ascii = 40, .compact = 56},
};

enum { STR_LENGTH = 16, STR_STATE = 32, OWNED_BY_CSTACK = 3 };

const layout *layout_of(int minor) {
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (layouts[i].minor == minor) return &layouts[i];
  return NULL;
}

static char *pointer(const char *base, int offset) {
  char *p;
  memcpy(&p, base + offset, sizeof p);
  return p;
}

char *frame_top(const layout *l, char *tstate) {
  char *p = pointer(tstate, l->thread_frame);
  return l->cframe_frame < 0 || !p ? p : pointer(p, l->cframe_frame);
}

char *frame_back(const layout *l, char *frame) { return pointer(frame, l->back); }
bool frame_is_python(const layout *l, const char *frame) { return frame[l->owner] != OWNED_BY_CSTACK; }
char *frame_code(const layout *l, char *frame) { return pointer(frame, l->code); }

int frame_offset(const layout *l, const char *frame, const char *code) {
  return (int)(pointer(frame, l->instr) - (code + l->bytecode));
}

const char *code_file(const layout *l, const char *code) { return pointer(code, l->file); }
const char *code_name(const layout *l, const char *code) { return pointer(code, l->name); }

// Encodes one code point and gives its length.
static int utf8(char *to, uint32_t c) {
  if (c < 0x80) return to[0] = (char)c, 1;
  if (c < 0x800) return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
  if (c < 0x10000)
    return to[0] = (char)(0xe0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)), to[2] = (char)(0x80 | (c & 63)), 3;
  return to[0] = (char)(0xf0 | c >> 18), to[1] = (char)(0x80 | (c >> 12 & 63)), to[2] = (char)(0x80 | (c >> 6 & 63)),
         to[3] = (char)(0x80 | (c & 63)), 4;
}

void put_unicode(thread *t, const layout *l, const char *object) {
  uint32_t state;
  int64_t length;
  memcpy(&state, object + STR_STATE, sizeof state);
  memcpy(&length, object + STR_LENGTH, sizeof length);
  bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
  unsigned kind = state >> 2 & 7; // bytes of a character
  if (!compact || length < 0) {
    put_string(t, "?");
    return;
  }
  if (ascii) {
    put_string_n(t, object + l->ascii, (size_t)length);
    return;
  }
  char text[STRING_MAX];
  size_t n = 0;
  const char *data = object + l->compact;
  for (int64_t i = 0; i < length && n + 4 <= sizeof text; i++) {
    uint32_t c = 0;
    memcpy(&c, data + i * kind, kind <= 4 ? kind : 4); // little endian, as every host of a CUDA device
    n += utf8(text + n, c);
  }
  put_string_n(t, text, n);
}
