// The CUDA driver API: memory.
#include "driver.h"
#include <string.h>

API Result cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = tw_device()->memory_bytes;
  return SUCCESS;
}

API Result cuMemAlloc_v2(void **p, size_t n) { return result(n == 0 ? INVALID_VALUE : tw_allocate(n, false, p)); }
API Result cuMemAllocAsync(void **p, size_t n, Stream s) {
  if (tw_capture_status(s, NULL, NULL) == 0) return cuMemAlloc_v2(p, n);
  Work w;
  Result e = p == NULL ? INVALID_VALUE : tw_memory_of(n, &w);
  if (e == SUCCESS) *p = (void *) w.memory.place.address;
  return result(e == SUCCESS ? tw_submit(s, w) : e);
}
API Result cuMemFree_v2(void *p) { return result(tw_free(p)); }
API Result cuMemFreeAsync(void *p, Stream s) {
  return result(tw_submit(s, (Work) {FREE_MEMORY, .freed = p}));
}
API Result cuMemAllocManaged(void **p, size_t n, unsigned flags) {
  (void) flags;
  return result(tw_allocate(n, true, p));
}
API Result cuMemAllocHost_v2(void **p, size_t n) { return result(tw_allocate(n, true, p)); }
API Result cuMemHostAlloc(void **p, size_t n, unsigned flags) { (void) flags; return result(tw_allocate(n, true, p)); }
API Result cuMemFreeHost(void *p) { return result(tw_free(p)); }
API Result cuMemHostGetFlags(unsigned *flags, void *p) { (void) p; *flags = 0; return SUCCESS; }
API Result cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags) {
  (void) flags;
  return result(tw_device_address(host, device));
}
API Result cuMemHostRegister_v2(void *host, size_t n, unsigned flags) {
  (void) flags;
  return result(tw_register(host, n));
}
API Result cuMemHostUnregister(void *host) { return result(tw_unregister(host)); }

#define PITCH 512

API Result cuMemAllocPitch_v2(void **p, size_t *pitch, size_t width, size_t height, unsigned element) {
  (void) element;
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  return cuMemAlloc_v2(p, *pitch * height);
}

API Result cuMemGetAddressRange_v2(void **base, size_t *bytes, const void *address) {
  LOCKED;
  Allocation *a = tw_find(address);
  if (a == NULL) return NOT_FOUND;
  if (base != NULL) *base = (void *) a->address;
  if (bytes != NULL) *bytes = a->bytes;
  return SUCCESS;
}

API Result cuPointerGetAttribute(void *value, int attribute, const void *address) {
  LOCKED;
  Allocation *a = tw_find(address);
  if (a == NULL) return INVALID_VALUE;
  // 2: type of memory (1: host, 2: device), 3: for kernels, 4: for the host, 8: managed, 9: number of the device.
  unsigned type = a->managed ? 1 : 2, managed = a->managed, device = a->device;
  switch (attribute) {
    case 2: memcpy(value, &type, sizeof type); return SUCCESS;
    case 3: memcpy(value, &address, sizeof address); return SUCCESS;
    case 4:
      if (!a->managed) return INVALID_VALUE;
      memcpy(value, &address, sizeof address);
      return SUCCESS;
    case 8: memcpy(value, &managed, sizeof managed); return SUCCESS;
    case 9: memcpy(value, &device, sizeof device); return SUCCESS;
    default: return tw_unsupported("cuPointerGetAttribute for this attribute");
  }
}

static Result copy(void *to, const void *from, size_t n, Stream s) {
  return result(tw_submit(s, tw_copy_of(to, from, n)));
}

API Result cuMemcpy(void *to, const void *from, size_t n) { return copy(to, from, n, NULL); }
API Result cuMemcpyAsync(void *to, const void *from, size_t n, Stream s) { return copy(to, from, n, s); }
API Result cuMemcpyHtoD_v2(void *to, const void *from, size_t n) { return copy(to, from, n, NULL); }
API Result cuMemcpyDtoH_v2(void *to, const void *from, size_t n) { return copy(to, from, n, NULL); }
API Result cuMemcpyDtoD_v2(void *to, const void *from, size_t n) { return copy(to, from, n, NULL); }
API Result cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t n, Stream s) { return copy(to, from, n, s); }
API Result cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t n, Stream s) { return copy(to, from, n, s); }
API Result cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t n, Stream s) { return copy(to, from, n, s); }

// 1: host, 2: device, 3: array, 4: unified.
typedef struct { size_t x, y; int type; const char *host; char *device; void *array; size_t pitch; } Side;
typedef struct { Side from, to; size_t width, height; } Copy2D;

static char *place(const Side *s) {
  char *base = s->type == 1 ? (char *) s->host : s->device;
  return base + s->x + s->y * s->pitch;
}

API Result cuMemcpy2DAsync_v2(const Copy2D *c, Stream s) {
  if (c->from.type == 3 || c->to.type == 3) return tw_unsupported("cuMemcpy2D with an array");
  size_t from_pitch = c->from.pitch ? c->from.pitch : c->width, to_pitch = c->to.pitch ? c->to.pitch : c->width;
  if (c->width > from_pitch || c->width > to_pitch) return INVALID_VALUE;
  Work w = {COPY, .copy = {.to = place(&c->to), .from = place(&c->from), .to_pitch = to_pitch,
      .from_pitch = from_pitch, .width = c->width, .height = c->height, .depth = 1}};
  return result(tw_submit(s, w));
}
API Result cuMemcpy2D_v2(const Copy2D *c) { return cuMemcpy2DAsync_v2(c, NULL); }
API Result cuMemcpy2DUnaligned_v2(const Copy2D *c) { return cuMemcpy2DAsync_v2(c, NULL); }

static Result fill(void *to, unsigned v, size_t width, size_t count, Stream s) {
  return result(tw_submit(s, tw_fill_of(to, v, width, count)));
}

API Result cuMemsetD8_v2(void *to, unsigned char v, size_t n) { return fill(to, v, 1, n, NULL); }
API Result cuMemsetD16_v2(void *to, unsigned short v, size_t n) { return fill(to, v, 2, n, NULL); }
API Result cuMemsetD32_v2(void *to, unsigned v, size_t n) { return fill(to, v, 4, n, NULL); }
API Result cuMemsetD8Async(void *to, unsigned char v, size_t n, Stream s) { return fill(to, v, 1, n, s); }
API Result cuMemsetD16Async(void *to, unsigned short v, size_t n, Stream s) { return fill(to, v, 2, n, s); }
API Result cuMemsetD32Async(void *to, unsigned v, size_t n, Stream s) { return fill(to, v, 4, n, s); }

API Result cuIpcGetMemHandle(Handle *h, void *address) { return result(tw_share(address, h)); }
API Result cuIpcOpenMemHandle_v2(void **address, Handle h, unsigned flags) {
  (void) flags;
  return result(tw_open_shared(&h, address));
}
API Result cuIpcCloseMemHandle(void *address) { return result(tw_free(address)); }
