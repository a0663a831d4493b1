// The CUDA runtime API: memory.
#include "runtime.h"
#include <string.h>

API Error cudaMalloc(void **p, size_t n) { return done(tw_allocate(n, false, p)); }
API Error cudaMallocAsync(void **p, size_t n, Stream s) {
  if (tw_capture_status(s, NULL, NULL) == 0) return cudaMalloc(p, n);
  Work w;
  Error e = p == NULL ? INVALID_VALUE : tw_memory_of(n, &w);
  if (e == SUCCESS) *p = (void *) w.memory.place.address;
  return done(e == SUCCESS ? tw_submit(s, w) : e);
}
API Error cudaFree(void *p) { return done(tw_free(p)); }
API Error cudaFreeAsync(void *p, Stream s) {
  return done(tw_submit(s, (Work) {FREE_MEMORY, .freed = p}));
}
API Error cudaMallocManaged(void **p, size_t n, unsigned flags) { (void) flags; return done(tw_allocate(n, true, p)); }
API Error cudaMallocHost(void **p, size_t n) { return done(tw_allocate(n, true, p)); }
API Error cudaHostAlloc(void **p, size_t n, unsigned flags) { (void) flags; return done(tw_allocate(n, true, p)); }
API Error cudaFreeHost(void *p) { return done(tw_free(p)); }
API Error cudaHostGetFlags(unsigned *flags, void *p) { (void) p; *flags = 0; return SUCCESS; }

API Error cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  (void) flags;
  return done(tw_device_address(host, device));
}

API Error cudaHostRegister(void *host, size_t bytes, unsigned flags) {
  (void) flags;
  return done(tw_register(host, bytes));
}

API Error cudaHostUnregister(void *host) { return done(tw_unregister(host)); }

#define PITCH 512

API Error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  return cudaMalloc(p, *pitch * height);
}

API Error cudaMalloc3D(Pitched *p, Extent e) {
  size_t pitch = (e.width + PITCH - 1) / PITCH * PITCH;
  p->pitch = pitch;
  p->xsize = e.width;
  p->ysize = e.height;
  return cudaMalloc(&p->ptr, pitch * e.height * e.depth);
}

API Error cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, Stream s) {
  (void) kind;
  return done(tw_submit(s, tw_copy_of(to, from, n)));
}
API Error cudaMemcpy(void *to, const void *from, size_t n, int kind) {
  return cudaMemcpyAsync(to, from, n, kind, NULL);
}
API Error cudaMemcpyPeerAsync(void *to, int td, const void *from, int fd, size_t n, Stream s) {
  (void) td; (void) fd;
  return cudaMemcpyAsync(to, from, n, 0, s);
}
API Error cudaMemcpyPeer(void *to, int td, const void *from, int fd, size_t n) {
  return cudaMemcpyPeerAsync(to, td, from, fd, n, NULL);
}

API Error cudaMemcpy2DAsync(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
    size_t height, int kind, Stream s) {
  (void) kind;
  if (width > to_pitch || width > from_pitch) return done(INVALID_VALUE);
  Work w = {COPY, .copy = {.to = to, .from = from, .to_pitch = to_pitch, .from_pitch = from_pitch, .width = width,
      .height = height, .depth = 1}};
  return done(tw_submit(s, w));
}

API Error cudaMemcpy2D(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t height,
    int kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

Error copy_3d(const Copy3D *c, Work *w) {
  if (c->from_array != NULL || c->to_array != NULL) return tw_unsupported("a three-dimensional copy of an array");
  size_t from_slice = c->from.pitch * c->from.ysize, to_slice = c->to.pitch * c->to.ysize;
  *w = (Work) {COPY, .copy = {
      .from = (char *) c->from.ptr + c->from_x + c->from.pitch * c->from_y + from_slice * c->from_z,
      .to = (char *) c->to.ptr + c->to_x + c->to.pitch * c->to_y + to_slice * c->to_z,
      .from_pitch = c->from.pitch, .from_slice = from_slice, .to_pitch = c->to.pitch, .to_slice = to_slice,
      .width = c->extent.width, .height = c->extent.height, .depth = c->extent.depth}};
  bool tall = c->extent.height > 1 || c->extent.depth > 1;
  if (tall && (c->extent.width > c->from.pitch || c->extent.width > c->to.pitch)) return INVALID_VALUE;
  return SUCCESS;
}

API Error cudaMemcpy3DAsync(const Copy3D *c, Stream s) {
  Work w;
  Error e = copy_3d(c, &w);
  return done(e == SUCCESS ? tw_submit(s, w) : e);
}

API Error cudaMemcpy3D(const Copy3D *c) { return cudaMemcpy3DAsync(c, NULL); }

API Error cudaMemsetAsync(void *to, int v, size_t n, Stream s) {
  return done(tw_submit(s, tw_fill_of(to, (unsigned) v, 1, n)));
}
API Error cudaMemset(void *to, int v, size_t n) { return cudaMemsetAsync(to, v, n, NULL); }

API Error cudaMemset2DAsync(char *to, size_t pitch, int v, size_t width, size_t height, Stream s) {
  Work w = {FILL, .fill = {.to = to, .pitch = pitch, .value = (unsigned) v, .element = 1, .width = width,
      .height = height}};
  return done(tw_submit(s, w));
}

API Error cudaMemset2D(char *to, size_t pitch, int v, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, v, width, height, NULL);
}

API Error cudaMemGetInfo(size_t *available, size_t *total) {
  *available = *total = tw_device()->memory_bytes;
  return SUCCESS;
}

typedef struct { int type, device; void *device_pointer, *host_pointer; long reserved[8]; } Attributes;

API Error cudaPointerGetAttributes(Attributes *p, const void *address) {
  LOCKED;
  Allocation *a = tw_find(address);
  memset(p, 0, CUDA_VERSION >= 13 ? sizeof *p : offsetof(Attributes, reserved));
  // 0: not registered, 2: device, 3: managed.
  p->type = a == NULL ? 0 : a->managed ? 3 : 2;
  p->device = a == NULL ? -2 : a->device;
  p->device_pointer = a == NULL ? NULL : (void *) address;
  p->host_pointer = a == NULL || a->managed ? (void *) address : NULL;
  return done(SUCCESS);
}

// Hints, which change nothing here.
API Error cudaMemAdvise(const void *p, size_t n, int advice) { (void) p; (void) n; (void) advice; return SUCCESS; }
API Error cudaMemPrefetchAsync(const void *p, size_t n) { (void) p; (void) n; return SUCCESS; }
API Error cudaStreamAttachMemAsync(Stream s, void *p, size_t n, unsigned flags) {
  (void) s; (void) p; (void) n; (void) flags; return SUCCESS;
}
API Error cudaCtxResetPersistingL2Cache(void) { return SUCCESS; }
