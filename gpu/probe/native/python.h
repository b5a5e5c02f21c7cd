// The Python stack of the calling thread, read through what the interpreter exports: no Python headers, no link.
#ifndef GATEBOT_PYTHON_H
#define GATEBOT_PYTHON_H

#include <stdbool.h>

#include "out.h"

// Finds the interpreter; again on every call until there is one. False: no Python in this process.
bool python_here(void);
// Whether an interpreter runs in this process now.
bool python_alive(void);
// "3.12.3"; false when there is no Python.
bool python_version(char *text, size_t n);
// Verifies, as soon as the GIL allows, how frames are read without it.
void python_prepare(void);
// Puts ,"frames":[...], innermost first. may_wait says that the GIL may be waited for (the caller holds no lock that
// somebody who has it could want). False: nothing was put, since this thread runs no Python or it cannot be read.
bool python_frames(thread *t, bool may_wait);
// Runs source in the interpreter, now when this thread has the GIL, else when the main thread next runs Python.
void python_run(const char *source);

#endif
