#include "fake.h"

#include <stdlib.h>
#include <string.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static capture *captures;
static CUstream streams;
CUresult sticky;

CUresult judge(capture *c, const char *call) {
  const row *r = table_row(c->mode, call);
  if (!strcmp(r->status, "invalidated")) {
    c->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    c->end_code = r->end_code;
  }
  return (CUresult)r->call_code;
}

CUresult judge_all(const char *call, const char *call_elsewhere) {
  CUresult worst = CUDA_SUCCESS;
  for (capture *c = captures; c; c = c->next) {
    bool elsewhere = call_elsewhere && !pthread_equal(c->owner, pthread_self());
    CUresult rc = judge(c, elsewhere ? call_elsewhere : call);
    if (rc != CUDA_SUCCESS) worst = rc;
  }
  return worst;
}

CUresult submit(CUstream s, op o, const char *call) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = CUDA_SUCCESS;
  if (!s || !s->cap) {
    rc = judge_all(!s ? "launch on NULL stream" : s->blocking ? "launch on unrelated blocking stream"
                                                              : "launch on unrelated non-blocking stream", NULL);
    if (rc == CUDA_SUCCESS) op_run(&o);
  } else if (s->cap->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
    rc = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!call || (rc = judge(s->cap, call)) == CUDA_SUCCESS) {
    CUgraph g = s->cap->graph;
    if (g->count == g->cap) {
      g->cap = g->cap ? 2 * g->cap : 8;
      g->nodes = realloc(g->nodes, g->cap * sizeof *g->nodes);
      if (!g->nodes) abort();
    }
    g->nodes[g->count++].o = o;
  }
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuStreamCreate(CUstream *s, unsigned int flags) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = judge_all("cuStreamCreate", NULL);
  if (rc == CUDA_SUCCESS && !(*s = calloc(1, sizeof **s))) rc = CUDA_ERROR_OUT_OF_MEMORY;
  if (rc == CUDA_SUCCESS) {
    (*s)->blocking = !(flags & CU_STREAM_NON_BLOCKING);
    (*s)->next = streams;
    streams = *s;
  }
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuStreamDestroy_v2(CUstream s) {
  pthread_mutex_lock(&fake_lock);
  for (CUstream *p = &streams; *p; p = &(*p)->next)
    if (*p == s) {
      *p = s->next;
      break;
    }
  pthread_mutex_unlock(&fake_lock);
  free(s);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = CUDA_SUCCESS;
  if (s->cap) {
    rc = judge(s->cap, "second cuStreamBeginCapture");
  } else {
    capture *c = calloc(1, sizeof *c);
    if (!c || !(c->graph = calloc(1, sizeof *c->graph))) abort();
    c->mode = mode, c->owner = pthread_self(), c->status = CU_STREAM_CAPTURE_STATUS_ACTIVE, c->origin = s;
    c->next = captures, captures = c, s->cap = c;
  }
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

// The capture is over, however it ended: nobody may point at it any more.
static void forget(capture *c) {
  for (capture **p = &captures; *p; p = &(*p)->next)
    if (*p == c) {
      *p = c->next;
      break;
    }
  for (CUstream s = streams; s; s = s->next)
    if (s->cap == c) s->cap = NULL, s->forked = false;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *g) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = CUDA_SUCCESS;
  *g = NULL;
  capture *c = s->cap;
  if (!c || c->origin != s) {
    rc = CUDA_ERROR_ILLEGAL_STATE;
  } else {
    if (!pthread_equal(c->owner, pthread_self())) rc = judge(c, "cuStreamEndCapture on another thread");
    if (rc == CUDA_SUCCESS && c->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) rc = (CUresult)c->end_code;
    if (rc == CUDA_SUCCESS && c->unjoined)
      rc = (CUresult)table_row(c->mode, "fork to side stream, never joined")->end_code;
    if (rc == CUDA_SUCCESS) rc = (CUresult)table_row(c->mode, "control (3 launches)")->end_code;
    if (rc == CUDA_SUCCESS) *g = c->graph;
    forget(c); // events may still point at it, so it is not freed
  }
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
  pthread_mutex_lock(&fake_lock);
  *status = s->cap ? s->cap->status : CU_STREAM_CAPTURE_STATUS_NONE;
  pthread_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream s) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = s && s->cap ? judge(s->cap, "cuStreamSynchronize(captured)")
                            : judge_all("cuStreamSynchronize(other stream)", "cuStreamSynchronize(other) on another thread");
  if (rc == CUDA_SUCCESS) rc = sticky;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuStreamQuery(CUstream s) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = s && s->cap ? judge(s->cap, "cuStreamQuery(captured)") : CUDA_SUCCESS;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int flags) {
  (void)flags;
  pthread_mutex_lock(&fake_lock);
  CUresult rc = CUDA_SUCCESS;
  if (!e->cap && s->cap) {
    rc = judge(s->cap, "wait on event recorded before capture");
  } else if (e->cap && !s->cap) { // fork
    s->cap = e->cap, s->forked = true, s->cap->unjoined++;
  } else if (e->cap && e->cap == s->cap && e->from != s && e->from->forked) { // join
    e->from->forked = false, s->cap->unjoined--;
  }
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuEventCreate(CUevent *e, unsigned int flags) {
  (void)flags;
  *e = calloc(1, sizeof **e);
  return *e ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent e) {
  free(e);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s) {
  pthread_mutex_lock(&fake_lock);
  e->cap = s ? s->cap : NULL;
  e->from = s;
  pthread_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

static CUresult event(CUevent e, const char *call) {
  pthread_mutex_lock(&fake_lock);
  CUresult rc = e->cap ? judge(e->cap, call) : CUDA_SUCCESS;
  pthread_mutex_unlock(&fake_lock);
  return rc;
}

CUresult cuEventQuery(CUevent e) { return event(e, "cuEventQuery(captured event)"); }
CUresult cuEventSynchronize(CUevent e) { return event(e, "cuEventSynchronize(captured event)"); }
