#include <string.h>
#include <time.h>

#include "out.h"

int64_t now_ns(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

size_t room(const thread *t) { return BUFFER - t->len; }

void put_i64(thread *t, int64_t v) {
  char digits[24], *p = digits + sizeof digits;
  uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
  do *--p = '0' + u % 10;
  while (u /= 10);
  if (v < 0) *--p = '-';
  put_n(t, p, digits + sizeof digits - p);
}

void put_hex(thread *t, uint64_t v) {
  char digits[24], *p = digits + sizeof digits;
  *--p = '"';
  do *--p = "0123456789abcdef"[v & 15];
  while (v >>= 4);
  *--p = 'x', *--p = '0', *--p = '"';
  put_n(t, p, digits + sizeof digits - p);
}

void put_string(thread *t, const char *s) { put_string_n(t, s, strlen(s)); }

void put_string_n(thread *t, const char *s, size_t n) {
  if (n > STRING_MAX) {
    n = STRING_MAX;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) n--; // not in the middle of a character
  }
  unsigned special = 0;
  for (size_t i = 0; i < n; i++) special |= (unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\';
  put_n(t, "\"", 1);
  if (!special) {
    put_n(t, s, n);
  } else {
    size_t end = t->len + STRING_MAX; // of what is put, so that a line stays in its bounds
    for (size_t i = 0; i < n && (t->len < end || ((unsigned char)s[i] & 0xc0) == 0x80); i++) {
      unsigned char c = s[i];
      char esc[6] = {'\\', c, 0};
      if (c == '"' || c == '\\') put_n(t, esc, 2);
      else if (c >= 0x20) put_n(t, s + i, 1);
      else put_n(t, "\\u00", 4), put_n(t, &"0123456789abcdef"[c >> 4], 1), put_n(t, &"0123456789abcdef"[c & 15], 1);
    }
  }
  put_n(t, "\"", 1);
}
