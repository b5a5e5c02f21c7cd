// What the probe knows about each CUDA call: its class and where in its parameters the interesting ones lie.
#ifndef GATEBOT_CALLS_H
#define GATEBOT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  C_NONE, C_SYNC, C_COPY, C_SET, C_ALLOC, C_FREE, C_PIN, C_UNPIN, C_QUERY, C_MODULE, C_CAPTURE, C_GRAPH, C_HOST_FUNC,
  C_WAIT, C_CONTEXT, C_LAUNCH,
} call_class;

// How the parameters are laid out, where offsets do not say it.
typedef enum { L_OFFSETS, L_RT_3D, L_DR_2D, L_DR_3D, L_LAUNCH, L_LAUNCH_CONFIG } call_layout;

// Directions of a copy whose name fixes it.
typedef enum { D_BY_KIND, D_HTOD, D_DTOH, D_DTOD, D_UNKNOWN } call_dir;

// Offsets are bytes into the parameter struct plus one; 0 means that the call has no such parameter.
typedef struct {
  const char *name; // without _v2, _v3020, _ptsz
  call_class class;
  call_layout layout;
  call_dir dir;
  uint8_t stream, handle, bytes, times, ptr, out, mode, dst, src, kind;
  uint8_t scale;    // bytes a unit of `bytes` (0: 1)
  bool async;
} call_info;

// Gives the row of a callback name as CUPTI has it (cudaMemcpyAsync_ptsz_v7000), NULL when it is of no interest.
const call_info *call_find(const char *cupti_name);
const char *class_name(call_class c);
// The number of a row, and the row of a number.
uint16_t call_index(const call_info *c);
const call_info *call_at(uint16_t index);

#endif
