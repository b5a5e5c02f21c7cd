// One api or launch line from the parameters of a call.
#ifndef GATEBOT_RECORD_H
#define GATEBOT_RECORD_H

#include "calls.h"
#include "cupti.h"
#include "out.h"

// entered is when the call was entered, in ticks for a launch and in nanoseconds for the rest; 0 when nobody looked.
void record(thread *t, const call_info *c, int domain, const callback_data *d, uint64_t entered);
void record_init(void);

#endif
