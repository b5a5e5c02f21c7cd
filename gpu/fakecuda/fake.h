// A pretend libcuda.so.1 for machines without a GPU: one device, device memory in host memory, streams that run at once,
// and stream capture as a state machine. What each call returns during a capture is looked up in the table measured on
// an H200 (testdata/capture-modes-h200.tsv), so that the pretence cannot drift from the hardware.
//
// FAKECUDA_TABLE names another table, FAKECUDA_DEVICES=0 makes cuInit find no device, FAKECUDA_HANG=1 makes it hang,
// FAKECUDA_STALE=1 makes replays do nothing.
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

// A kernel of the pretence: compiled in under the name that the module's PTX has.
enum { PARAMS = 8, PARAM_BYTES = 16 };
typedef struct {
  const char *name;
  int params, sizes[PARAMS];
  CUresult (*run)(unsigned char at[PARAMS][PARAM_BYTES]); // the code is that of the next wait
} kernel;

typedef struct op {
  CUgraphNodeType type;
  unsigned char *dst;
  const unsigned char *src; // NULL for a memset
  unsigned char value;
  size_t n;
  const kernel *kernel;
  unsigned char params[PARAMS][PARAM_BYTES];
  CUhostFn host;
  void *user;
} op;

void op_run(const op *o);
extern CUresult sticky; // of a kernel that faulted: every wait returns it from then on

// Reports whether host memory is page-locked.
bool pinned(const void *p);

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

struct CUstream_st { capture *cap; bool forked, blocking; struct CUstream_st *next; };
struct CUevent_st { capture *cap; CUstream from; };

extern pthread_mutex_t fake_lock; // held by every entry point that looks at captures

// Puts the verdict of the table for this call on a capture and returns the code of the call.
CUresult judge(capture *c, const char *call);
// The same for every running capture; call_elsewhere is the row for a capture of another thread (NULL: the same row).
CUresult judge_all(const char *call, const char *call_elsewhere);
// Runs the operation, or records it when the stream is captured. call is its row of the table; NULL: that of a launch,
// which a capture takes.
CUresult submit(CUstream s, op o, const char *call);

#endif
