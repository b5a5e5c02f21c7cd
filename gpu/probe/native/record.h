// One api or launch line from the parameters of a call.
#ifndef GATEBOT_RECORD_H
#define GATEBOT_RECORD_H

#include "calls.h"
#include "cupti.h"
#include "out.h"

void record(thread *t, const call_info *c, int domain, const callback_data *d, int64_t began);
void record_init(void);

#endif
