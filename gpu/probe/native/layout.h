// Where CPython keeps the frames of a running thread, for the versions whose layout was read from their headers with
// offsetof. Only used after verify() in python.c has seen it agree with the public API in this very process.
#ifndef GATEBOT_LAYOUT_H
#define GATEBOT_LAYOUT_H

#include <stdbool.h>

#include "out.h"

typedef struct {
  int minor;                                 // of CPython 3
  int thread_frame, cframe_frame;            // PyThreadState.cframe and _PyCFrame.current_frame; -1: 3.13 has no cframe
  int code, back, instr, owner;              // in _PyInterpreterFrame
  int file, name, bytecode;                  // in PyCodeObject: co_filename, co_qualname, co_code_adaptive
  int ascii, compact;                        // sizes of PyASCIIObject and PyCompactUnicodeObject: where the text starts
} layout;

const layout *layout_of(int minor); // NULL: not known

char *frame_top(const layout *l, char *tstate);
char *frame_back(const layout *l, char *frame);
bool frame_is_python(const layout *l, const char *frame); // and not the entry of the C stack
char *frame_code(const layout *l, char *frame);
int frame_offset(const layout *l, const char *frame, const char *code); // of the current instruction, bytes
const char *code_file(const layout *l, const char *code);
const char *code_name(const layout *l, const char *code);
void put_unicode(thread *t, const layout *l, const char *object); // a str, as a JSON string

#endif
