// The few calls that the probe itself makes of the CUDA driver: what kind of memory a pointer is, and which device this is.
#ifndef GATEBOT_DRIVER_H
#define GATEBOT_DRIVER_H

#include "cupti.h"
#include "out.h"

void driver_init(void);
// "pageable", "pinned", "device", "managed" or "unknown".
const char *memory_kind(const void *p);
// Sets t->device for the context of a call, and writes a device event when that device is seen for the first time.
void device_of(thread *t, const callback_data *d);
void driver_cupti(const char *path, uint32_t version); // for the device event

#endif
