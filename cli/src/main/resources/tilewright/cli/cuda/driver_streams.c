// The CUDA driver API: streams, events, and graphs by capture.
#include "driver.h"
#include <stdlib.h>

API Result cuStreamCreateWithPriority(Stream *s, unsigned flags, int priority) {
  *s = tw_stream_create(flags, priority);
  return SUCCESS;
}
API Result cuStreamCreate(Stream *s, unsigned flags) { return cuStreamCreateWithPriority(s, flags, 0); }
API Result cuStreamDestroy_v2(Stream s) { return tw_stream_destroy(s); }
API Result cuStreamDestroy(Stream s) { return cuStreamDestroy_v2(s); }
API Result cuStreamSynchronize(Stream s) { return tw_stream_wait(s); }
API Result cuStreamQuery(Stream s) { return tw_stream_wait(s); }
API Result cuStreamWaitEvent(Stream s, Event *e, unsigned flags) { (void) flags; return tw_stream_wait_event(s, e); }
API Result cuStreamGetPriority(Stream s, int *priority) { *priority = tw_stream_priority(s); return SUCCESS; }
API Result cuStreamGetFlags(Stream s, unsigned *flags) { *flags = tw_stream_flags(s); return SUCCESS; }

API Result cuLaunchHostFunc(Stream s, void (*f)(void *), void *data) {
  return result(tw_submit(s, (Work) {CALL, .call = {f, data}}));
}

API Result cuStreamAddCallback(Stream s, void (*f)(Stream, Result, void *), void *data, unsigned flags) {
  (void) flags;
  Result e = tw_stream_wait(s);
  if (e == CAPTURE_UNSUPPORTED) return e;
  f(s, e, data);
  return result(SUCCESS);
}

API Result cuEventCreate(Event **e, unsigned flags) { (void) flags; *e = tw_event_create(); return SUCCESS; }
API Result cuEventDestroy_v2(Event *e) { free(e); return SUCCESS; }
API Result cuEventDestroy(Event *e) { return cuEventDestroy_v2(e); }
API Result cuEventRecord(Event *e, Stream s) { return result(tw_event_record(e, s)); }
API Result cuEventRecordWithFlags(Event *e, Stream s, unsigned flags) { (void) flags; return cuEventRecord(e, s); }
API Result cuEventSynchronize(Event *e) { return tw_event_wait(e); }
API Result cuEventQuery(Event *e) { return tw_event_wait(e); }
API Result cuEventElapsedTime(float *ms, Event *from, Event *to) { return tw_event_elapsed(ms, from, to); }
API Result cuEventElapsedTime_v2(float *ms, Event *from, Event *to) { return tw_event_elapsed(ms, from, to); }

API Result cuStreamBeginCapture_v2(Stream s, int mode) { (void) mode; return tw_begin_capture(s, NULL); }
API Result cuStreamEndCapture(Stream s, Graph **g) { return tw_end_capture(s, g); }
API Result cuStreamIsCapturing(Stream s, int *status) {
  *status = tw_capture_status(s, NULL, NULL);
  return SUCCESS;
}
API Result cuGraphCreate(Graph **g, unsigned flags) { (void) flags; *g = tw_graph_create(); return SUCCESS; }
API Result cuGraphDestroy(Graph *g) { tw_graph_destroy(g); return SUCCESS; }
API Result cuGraphInstantiateWithFlags(Graph **exec, const Graph *g, uint64_t flags) {
  return tw_graph_instantiate(g, flags & 1, exec);
}
API Result cuGraphExecDestroy(Graph *exec) { tw_graph_destroy(exec); return SUCCESS; }
API Result cuGraphUpload(Graph *exec, Stream s) { (void) exec; (void) s; return SUCCESS; }
API Result cuGraphLaunch(const Graph *exec, Stream s) {
  if (exec == NULL) return INVALID_HANDLE;
  bool captured = tw_capture_status(s, NULL, NULL) != 0;
  Work w = {GRAPH, .graph = captured ? tw_graph_clone(exec) : (Graph *) exec};
  return result(captured ? tw_submit(s, w) : tw_do(&w));
}
