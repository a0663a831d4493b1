// The CUDA runtime API: streams and events.
#include "runtime.h"
#include <stdlib.h>

API Error cudaStreamCreateWithPriority(Stream *s, unsigned flags, int priority) {
  *s = tw_stream_create(flags, priority);
  return done(SUCCESS);
}
API Error cudaStreamCreateWithFlags(Stream *s, unsigned flags) { return cudaStreamCreateWithPriority(s, flags, 0); }
API Error cudaStreamCreate(Stream *s) { return cudaStreamCreateWithPriority(s, 0, 0); }
API Error cudaStreamDestroy(Stream s) { return done(tw_stream_destroy(s)); }
API Error cudaStreamSynchronize(Stream s) { return done(tw_stream_wait(s)); }
API Error cudaStreamQuery(Stream s) { return done(tw_stream_wait(s)); }
API Error cudaStreamWaitEvent(Stream s, Event *e, unsigned flags) {
  (void) flags;
  return done(tw_stream_wait_event(s, e));
}
API Error cudaStreamGetPriority(Stream s, int *priority) { *priority = tw_stream_priority(s); return done(SUCCESS); }
API Error cudaStreamGetFlags(Stream s, unsigned *flags) { *flags = tw_stream_flags(s); return done(SUCCESS); }

// Access policies and priorities, which change no result.
API Error cudaStreamSetAttribute(Stream s, int attribute, const void *value) {
  (void) s; (void) attribute; (void) value;
  return SUCCESS;
}

API Error cudaLaunchHostFunc(Stream s, void (*f)(void *), void *data) {
  return done(tw_submit(s, (Work) {CALL, .call = {f, data}}));
}

API Error cudaStreamAddCallback(Stream s, void (*f)(Stream, Error, void *), void *data, unsigned flags) {
  (void) flags;
  Error e = tw_stream_wait(s);
  if (e != CAPTURE_UNSUPPORTED) f(s, e, data);
  return done(e == CAPTURE_UNSUPPORTED ? e : SUCCESS);
}

API Error cudaEventCreate(Event **e) { *e = tw_event_create(); return done(SUCCESS); }
API Error cudaEventCreateWithFlags(Event **e, unsigned flags) { (void) flags; return cudaEventCreate(e); }
API Error cudaEventDestroy(Event *e) { free(e); return done(SUCCESS); }
API Error cudaEventSynchronize(Event *e) { return done(tw_event_wait(e)); }
API Error cudaEventQuery(Event *e) { return done(tw_event_wait(e)); }
API Error cudaEventRecord(Event *e, Stream s) { return done(tw_event_record(e, s)); }
API Error cudaEventRecordWithFlags(Event *e, Stream s, unsigned flags) { (void) flags; return cudaEventRecord(e, s); }
API Error cudaEventElapsedTime(float *ms, Event *from, Event *to) { return done(tw_event_elapsed(ms, from, to)); }
API Error cudaEventElapsedTime_v2(float *ms, Event *from, Event *to) { return cudaEventElapsedTime(ms, from, to); }

API Error cudaStreamBeginCapture(Stream s, int mode) { (void) mode; return done(tw_begin_capture(s, NULL)); }
// The order of the nodes keeps the dependencies.
API Error cudaStreamBeginCaptureToGraph(Stream s, Graph *g, Node **dependencies, const void *edges, size_t count,
    int mode) {
  (void) dependencies; (void) edges; (void) count; (void) mode;
  return done(g == NULL ? INVALID_VALUE : tw_begin_capture(s, g));
}
#if CUDA_VERSION >= 13
API Error cudaStreamUpdateCaptureDependencies(Stream s, Node **dependencies, const void *edges, size_t count,
    unsigned flags) {
  (void) dependencies; (void) edges; (void) count; (void) flags;
  return done(tw_capture_status(s, NULL, NULL) == 0 ? ILLEGAL_STATE : SUCCESS);
}
#else
API Error cudaStreamUpdateCaptureDependencies(Stream s, Node **dependencies, size_t count, unsigned flags) {
  (void) dependencies; (void) count; (void) flags;
  return done(tw_capture_status(s, NULL, NULL) == 0 ? ILLEGAL_STATE : SUCCESS);
}
#endif
API Error cudaStreamEndCapture(Stream s, Graph **g) { return done(tw_end_capture(s, g)); }
API Error cudaStreamIsCapturing(Stream s, int *status) {
  *status = tw_capture_status(s, NULL, NULL);
  return done(SUCCESS);
}
// Nothing is refused in any mode.
API Error cudaThreadExchangeStreamCaptureMode(int *mode) { *mode = 0; return SUCCESS; }

// What a capture depends on is not known, as work is done in the order of the calls.
API Error cudaStreamGetCaptureInfo_v2(Stream s, int *status, uint64_t *id, Graph **g, Node ***dependencies,
    size_t *count) {
  *status = tw_capture_status(s, id, g);
  if (dependencies != NULL) *dependencies = NULL;
  if (count != NULL) *count = 0;
  return done(SUCCESS);
}

#if CUDA_VERSION >= 13
API Error cudaStreamGetCaptureInfo(Stream s, int *status, uint64_t *id, Graph **g, Node ***dependencies, void **edges,
    size_t *count) {
  if (edges != NULL) *edges = NULL;
  return cudaStreamGetCaptureInfo_v2(s, status, id, g, dependencies, count);
}
#else
API Error cudaStreamGetCaptureInfo(Stream s, int *status, uint64_t *id) {
  return cudaStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL);
}
#endif
