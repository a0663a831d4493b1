// Streams and events, and the capture of streams. Work is done when it is submitted: streams only keep order.
#include "bridge.h"
#include <stdlib.h>

// All the streams that were forked from one and joined it: what is submitted to them goes into one graph.
typedef struct {
  Graph *graph;
  uint64_t id;
  bool lent;  // the graph was there before
  bool over, failed;
} Capture;

typedef struct {
  unsigned flags;
  int priority;
  Capture *capture;
  bool origin;  // where the capture began
} Stream;

struct Event {
  uint64_t ns;
  bool recorded;
  Capture *capture;  // the capture in which it was recorded last, or null
};

#define NON_BLOCKING 1

static Stream legacy, per_thread;
static uint64_t captures;
// The capture that goes on and with whose stream the legacy stream would have to synchronise.
static Capture *blocking;

static Stream *stream_of(void *handle) {
  if (handle == NULL || handle == (void *) 1) return &legacy;
  return handle == (void *) 2 ? &per_thread : handle;
}

static Capture *capture_of(void *handle) {
  Capture *c = stream_of(handle)->capture;
  return c != NULL && !c->over ? c : NULL;
}

void *tw_stream_create(unsigned flags, int priority) {
  Stream *s = calloc(1, sizeof *s);
  s->flags = flags;
  s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  return s;
}

int tw_stream_destroy(void *handle) {
  Stream *s = stream_of(handle);
  if (s == &legacy || s == &per_thread) return INVALID_HANDLE;
  free(s);
  return SUCCESS;
}

static int fail(Capture *c, int e) {
  c->failed = true;
  return e;
}

int tw_stream_wait(void *handle) {
  Capture *c = capture_of(handle);
  return c != NULL ? fail(c, CAPTURE_UNSUPPORTED) : tw_settle();
}

unsigned tw_stream_flags(void *handle) { return stream_of(handle)->flags; }
int tw_stream_priority(void *handle) { return stream_of(handle)->priority; }

int tw_begin_capture(void *handle, Graph *g) {
  Stream *s = stream_of(handle);
  if (s == &legacy) return CAPTURE_UNSUPPORTED;
  if (capture_of(s) != NULL) return ILLEGAL_STATE;
  LOCKED;
  Capture *c = calloc(1, sizeof *c);
  *c = (Capture) {.graph = g != NULL ? g : tw_graph_create(), .id = ++captures, .lent = g != NULL};
  s->capture = c;
  s->origin = true;
  if (!(s->flags & NON_BLOCKING)) blocking = c;
  return SUCCESS;
}

// The capture itself stays, as streams and events may refer to it.
int tw_end_capture(void *handle, Graph **g) {
  Stream *s = stream_of(handle);
  Capture *c = capture_of(s);
  if (g != NULL) *g = NULL;
  if (c == NULL) return ILLEGAL_STATE;
  if (!s->origin) return fail(c, CAPTURE_UNMATCHED);
  LOCKED;
  c->over = true;
  s->origin = false;
  if (blocking == c) blocking = NULL;
  if (c->failed) {
    if (!c->lent) tw_graph_destroy(c->graph);
    return CAPTURE_INVALIDATED;
  }
  if (g != NULL) *g = c->graph;
  return SUCCESS;
}

int tw_capture_status(void *handle, uint64_t *id, Graph **g) {
  Capture *c = capture_of(handle);
  if (c == NULL) return 0;
  if (id != NULL) *id = c->id;
  if (g != NULL) *g = c->graph;
  return c->failed ? 2 : 1;
}

int tw_stream_wait_event(void *handle, Event *e) {
  if (e == NULL) return INVALID_HANDLE;
  Stream *s = stream_of(handle);
  Capture *own = capture_of(s), *other = e->capture != NULL && !e->capture->over ? e->capture : NULL;
  if (own != NULL && other == NULL) return fail(own, CAPTURE_ISOLATION);
  if (own != NULL && own != other) return fail(own, CAPTURE_MERGE);
  if (other != NULL && s == &legacy) return fail(other, CAPTURE_IMPLICIT);
  if (other != NULL) s->capture = other;
  return SUCCESS;
}

int tw_submit(void *handle, Work w) {
  Stream *s = stream_of(handle);
  Capture *c = capture_of(s);
  if (c == NULL && blocking != NULL && s == &legacy) {
    tw_discard(&w);
    return fail(blocking, CAPTURE_IMPLICIT);
  }
  if (c != NULL) {
    LOCKED;
    return tw_graph_add(c->graph, NULL, 0, w, NULL);
  }
  int e = tw_do(&w);
  tw_discard(&w);
  return e;
}

Event *tw_event_create(void) { return calloc(1, sizeof(Event)); }

int tw_event_record(Event *e, void *handle) {
  if (e == NULL) return INVALID_HANDLE;
  e->capture = capture_of(handle);
  if (e->capture != NULL) return SUCCESS;
  e->ns = tw_now();
  e->recorded = true;
  return SUCCESS;
}

int tw_event_wait(Event *e) {
  if (e == NULL) return INVALID_HANDLE;
  if (e->capture != NULL && !e->capture->over) return fail(e->capture, CAPTURE_UNSUPPORTED);
  return tw_settle();
}

int tw_event_elapsed(float *ms, const Event *from, const Event *to) {
  if (ms == NULL || from == NULL || to == NULL || !from->recorded || !to->recorded) return INVALID_HANDLE;
  *ms = (float) ((double) (to->ns - from->ns) * 1e-6);
  return SUCCESS;
}
