// The native stack of the calling thread, where there is no Python.
#ifndef GATEBOT_NATIVE_H
#define GATEBOT_NATIVE_H

#include "out.h"

void native_init(void);
void native_frames(thread *t); // puts ,"native":[...], innermost first, without the probe's own

#endif
