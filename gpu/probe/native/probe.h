// What the probe exports. Marks are for programs that want to name their regions (by ctypes or dlsym); they do nothing
// harmful where nothing is recorded.
#ifndef GATEBOT_PROBE_H
#define GATEBOT_PROBE_H

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int InitializeInjection(void);                  // called by the driver's cuInit, see CUDA_INJECTION64_PATH
EXPORT int InitializeInjectionNvtx2(void *get_table);  // called by NVTX, see NVTX_INJECTION64_PATH

EXPORT void gatebot_region_enter(const char *name);
EXPORT void gatebot_region_exit(const char *name);
EXPORT void gatebot_region_resume(const char *name);    // enters it again within the same pass
EXPORT void gatebot_phase(const char *name, int enter); // enter: 1 begins, 0 ends it
EXPORT void gatebot_step(int i, int enter);
EXPORT void gatebot_host_wait(const char *name, int enter); // the host waits for a framework that waits for the device
EXPORT void gatebot_arm(void);                          // starts recording, the state at first unless GATEBOT_ARM=0
EXPORT void gatebot_brief(int on);                      // 1: leaves out what cannot be a finding: launches, work on the device
EXPORT void gatebot_disarm(void);                       // stops it: CUPTI calls back no more
EXPORT void gatebot_launch_frames(int on);              // 1: launches are recorded with their stacks
EXPORT void gatebot_flush(void);                        // writes what this thread has buffered
EXPORT void gatebot_end(void);                          // ends the trace, for a process that leaves by _exit
EXPORT int gatebot_active(void);                        // 1: subscribed to CUPTI and writing

bool probe_armed(void); // calls are watched

#endif
