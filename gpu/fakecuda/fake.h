// A pretend libcuda.so.1 for machines without a GPU: one device, device memory in host memory, streams that run at once,
// and stream capture as a state machine. What each call returns during a capture is looked up in the table measured on
// an H200 (testdata/capture-modes-h200.tsv), so that the pretence cannot drift from the hardware.
//
// FAKECUDA_TABLE names another table, FAKECUDA_DEVICES=0 makes cuInit find no device, FAKECUDA_HANG=1 makes it hang.
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <cuda.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char mode[16], call[96], status[16];
  int call_code, end_code;
} row;

// Returns the measured row, or ends the process: a call that nobody has measured must not look like a pass.
const row *table_row(CUstreamCaptureMode mode, const char *call);

typedef struct op {
  CUgraphNodeType type;
  unsigned char *dst;
  const unsigned char *src; // NULL for a memset
  unsigned char value;
  size_t n;
} op;

void op_run(const op *o);

struct CUgraphNode_st { op o; };
struct CUgraph_st { struct CUgraphNode_st *nodes; size_t count, cap; };
struct CUgraphExec_st { struct CUgraph_st graph; };

// One capture, shared by the stream it began on and those forked from it.
typedef struct capture {
  CUstreamCaptureMode mode;
  pthread_t owner;
  CUstreamCaptureStatus status;
  CUgraph graph;
  CUstream origin;
  int unjoined, end_code;
  struct capture *next;
} capture;

struct CUstream_st { capture *cap; bool forked; struct CUstream_st *next; };
struct CUevent_st { capture *cap; CUstream from; };

extern pthread_mutex_t fake_lock; // held by every entry point that looks at captures

// Puts the verdict of the table for this call on a capture and returns the code of the call.
CUresult judge(capture *c, const char *call);
// The same for every running capture; call_elsewhere is the row for a capture of another thread (NULL: the same row).
CUresult judge_all(const char *call, const char *call_elsewhere);
// Runs the operation, or records it when the stream is captured.
CUresult submit(CUstream s, op o);

#endif
