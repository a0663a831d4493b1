// The CUDA runtime API on the simulator. Everything is done when a call returns; streams only keep order.
#include "bridge.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Error;
typedef struct Stream { int unused; } *Stream;
typedef struct Event { uint64_t ns; bool recorded; } *Event;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONFIGURATION = 9, INVALID_SYMBOL = 13,
  INVALID_DEVICE_FUNCTION = 98, INVALID_DEVICE = 101, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

static __thread Error last_error;

// A call's end: remembers its error for cudaGetLastError.
static Error done(Error e) {
  if (e == SUCCESS) e = tw_sticky();
  if (e != SUCCESS) last_error = e;
  return e;
}

static Error unlocked(Error e) {
  tw_unlock();
  return done(e);
}

// ---- Errors ----

static const struct { int code; const char *name, *text; } errors[] = {
#define ERROR(code, name, text) {code, name, text},
#include "errors.h"
#undef ERROR
};

static int error_index(Error e) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) if (errors[i].code == e) return i;
  return -1;
}

API const char *cudaGetErrorName(Error e) {
  int i = error_index(e);
  return i < 0 ? "unrecognized error code" : errors[i].name;
}

API const char *cudaGetErrorString(Error e) {
  int i = error_index(e);
  return i < 0 ? "unrecognized error code" : errors[i].text;
}

API Error cudaGetLastError(void) {
  Error e = tw_sticky() ? tw_sticky() : last_error;
  last_error = SUCCESS;
  return e;
}

API Error cudaPeekAtLastError(void) { return tw_sticky() ? tw_sticky() : last_error; }

// ---- Devices ----

API Error cudaGetDeviceCount(int *count) { *count = 1; return SUCCESS; }
API Error cudaGetDevice(int *device) { *device = 0; return SUCCESS; }
API Error cudaSetDevice(int device) { return done(device == 0 ? SUCCESS : INVALID_DEVICE); }
API Error cudaInitDevice(int device, unsigned flags, unsigned more) {
  (void) flags; (void) more; return cudaSetDevice(device);
}
API Error cudaChooseDevice(int *device, const void *wanted) { (void) wanted; *device = 0; return SUCCESS; }
API Error cudaSetDeviceFlags(unsigned flags) { (void) flags; return SUCCESS; }
API Error cudaGetDeviceFlags(unsigned *flags) { *flags = 0; return SUCCESS; }
API Error cudaDeviceSynchronize(void) { return done(tw_settle()); }
API Error cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
API Error cudaDeviceReset(void) { return done(tw_settle()); }
API Error cudaThreadExit(void) { return SUCCESS; }
API Error cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  (void) device; (void) peer; *can = 0; return SUCCESS;
}
API Error cudaDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
API Error cudaRuntimeGetVersion(int *version) { *version = CUDA_VERSION * 1000; return SUCCESS; }
API Error cudaProfilerStart(void) { return SUCCESS; }
API Error cudaProfilerStop(void) { return SUCCESS; }
API Error cudaDeviceSetCacheConfig(int config) { (void) config; return SUCCESS; }
API Error cudaDeviceGetCacheConfig(int *config) { *config = 0; return SUCCESS; }
API Error cudaDeviceSetSharedMemConfig(int config) { (void) config; return SUCCESS; }
API Error cudaDeviceSetLimit(int limit, size_t value) { (void) limit; (void) value; return SUCCESS; }
API Error cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return SUCCESS; }

API Error cudaDeviceGetLimit(size_t *value, int limit) {
  static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128};
  if (limit == 6) {
    *value = tw_device()->l2_bytes * 3 / 4;
    return SUCCESS;
  }
  if (limit < 0 || limit > 6) return done(INVALID_VALUE);
  *value = limits[limit];
  return SUCCESS;
}

API Error cudaDeviceGetPCIBusId(char *id, int length, int device) {
  (void) device;
  snprintf(id, length, "0000:01:00.0");
  return SUCCESS;
}

API Error cudaMemGetInfo(size_t *available, size_t *total) {
  *available = *total = tw_device()->memory_bytes; return SUCCESS;
}

// The fields of cudaDeviceProp by offset. CUDA 13 dropped some of those that CUDA 12 has.
enum { P_NAME, P_INT, P_SIZE, P_INT3 };

API Error cudaGetDeviceProperties(char *p, int device) {
  if (device != 0) return done(INVALID_DEVICE);
  const Device *d = tw_device();
  memset(p, 0, CUDA_VERSION >= 13 ? 1008 : 1032);
  snprintf(p, 256, "%s", d->name);
  memcpy(p + 256, "tilewright sim ", 16);
#define SIZE(offset, v) do { uint64_t value_ = (v); memcpy(p + (offset), &value_, 8); } while (0)
#define INT(offset, v) do { int32_t value_ = (int32_t) (v); memcpy(p + (offset), &value_, 4); } while (0)
  SIZE(288, d->memory_bytes);
  SIZE(296, d->shared_per_block);
  INT(304, 65536);
  INT(308, 32);
  SIZE(312, INT32_MAX);
  INT(320, 1024);
  INT(324, 1024); INT(328, 1024); INT(332, 64);
  INT(336, INT32_MAX); INT(340, 65535); INT(344, 65535);
#if CUDA_VERSION >= 13
  SIZE(352, 65536);
  INT(360, d->capability / 10); INT(364, d->capability % 10);
  SIZE(368, 512); SIZE(376, 32);
  INT(384, d->multiprocessors);
  INT(392, 1);
  SIZE(552, 512);
  INT(560, 1); INT(564, 1); INT(568, 1);
  INT(584, 3); INT(588, 1);
  INT(592, d->bus_width); INT(596, d->l2_bytes);
  INT(600, d->l2_bytes * 3 / 4); INT(692, 128 << 20);
  INT(604, 32 * d->warps_per_sm);
  INT(608, 1); INT(612, 1); INT(616, 1);
  SIZE(624, d->shared_per_sm);
  INT(632, 65536);
  INT(636, 1); INT(660, 1); INT(664, 0); INT(668, 1);
  SIZE(672, d->shared_optin);
  INT(688, d->blocks_per_sm);
  SIZE(696, 1024);
  INT(704, 1); INT(720, 1);
  INT(748, d->capability >= 90);
#else
  INT(348, d->clock_khz);
  SIZE(352, 65536);
  INT(360, d->capability / 10); INT(364, d->capability % 10);
  SIZE(368, 512); SIZE(376, 32);
  INT(384, 1);
  INT(388, d->multiprocessors);
  INT(400, 1);
  SIZE(568, 512);
  INT(576, 1); INT(580, 1); INT(584, 1);
  INT(600, 3); INT(604, 1); INT(608, d->memory_clock_khz);
  INT(612, d->bus_width); INT(616, d->l2_bytes);
  INT(620, d->l2_bytes * 3 / 4); INT(716, 128 << 20);
  INT(624, 32 * d->warps_per_sm);
  INT(628, 1); INT(632, 1); INT(636, 1);
  SIZE(640, d->shared_per_sm);
  INT(648, 65536);
  INT(652, 1); INT(680, 1); INT(688, 1);
  SIZE(696, d->shared_optin);
  INT(712, d->blocks_per_sm);
  SIZE(720, 1024);
  INT(728, 1); INT(744, 1);
  INT(772, d->capability >= 90);
#endif
  return SUCCESS;
}

API Error cudaGetDeviceProperties_v2(char *p, int device) { return cudaGetDeviceProperties(p, device); }

API Error cudaDeviceGetAttribute(int *value, int attribute, int device) {
  if (device != 0) return done(INVALID_DEVICE);
  const Device *d = tw_device();
  switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = INT32_MAX; break;
    case 6: case 7: *value = 65535; break;
    case 8: *value = d->shared_per_block; break;
    case 9: *value = 65536; break;
    case 10: *value = 32; break;
    case 11: *value = INT32_MAX; break;
    case 12: case 82: *value = 65536; break;
    case 13: *value = d->clock_khz; break;
    case 14: case 30: *value = 512; break;
    case 16: *value = d->multiprocessors; break;
    case 36: *value = d->memory_clock_khz; break;
    case 37: *value = d->bus_width; break;
    case 38: *value = d->l2_bytes; break;
    case 39: *value = 32 * d->warps_per_sm; break;
    case 40: *value = 3; break;
    case 51: *value = 32; break;
    case 75: *value = d->capability / 10; break;
    case 76: *value = d->capability % 10; break;
    case 81: *value = d->shared_per_sm; break;
    case 97: *value = d->shared_optin; break;
    case 106: *value = d->blocks_per_sm; break;
    case 108: *value = d->l2_bytes * 3 / 4; break;
    case 109: *value = 128 << 20; break;
    case 111: *value = 1024; break;
    case 15: case 19: case 31: case 32: case 33: case 41: case 78: case 79: case 80: case 83: case 90: case 95: case 99:
    case 115: *value = 1; break;
    case 120: *value = d->capability >= 90; break;
    default:
      if (attribute < 1 || attribute > 147) return done(INVALID_VALUE);
      *value = 0;
  }
  return SUCCESS;
}

// ---- Memory ----

static Error allocate(void **address, size_t bytes, bool managed) {
  if (address == NULL) return done(INVALID_VALUE);
  if (bytes == 0) {
    *address = NULL;
    return done(SUCCESS);
  }
  tw_lock();
  Allocation *a;
  Error e = tw_allocate(bytes, managed, &a);
  if (e == SUCCESS) *address = (void *) a->address;
  return unlocked(e);
}

static Error release(void *address) {
  if (address == NULL) return done(SUCCESS);
  tw_lock();
  Allocation *a = tw_find(address);
  Error e = a != NULL && a->address == (uint64_t) address ? SUCCESS : INVALID_VALUE;
  if (e == SUCCESS) tw_free(a);
  return unlocked(e);
}

static Error copy(void *to, const void *from, size_t bytes) {
  tw_lock();
  Error e = tw_copy(to, from, bytes);
  return unlocked(e);
}

static Error fill(void *to, int value, size_t width, size_t count) {
  tw_lock();
  Error e = tw_fill(to, value, width, count);
  return unlocked(e);
}

API Error cudaMalloc(void **p, size_t n) { return allocate(p, n, false); }
API Error cudaMallocAsync(void **p, size_t n, Stream s) { (void) s; return allocate(p, n, false); }
API Error cudaMallocFromPoolAsync(void **p, size_t n, void *pool, Stream s) {
  (void) pool; (void) s; return allocate(p, n, false);
}
API Error cudaFree(void *p) { return release(p); }
API Error cudaFreeAsync(void *p, Stream s) { (void) s; return release(p); }
API Error cudaMallocManaged(void **p, size_t n, unsigned flags) { (void) flags; return allocate(p, n, true); }
API Error cudaMallocHost(void **p, size_t n) { return allocate(p, n, true); }
API Error cudaHostAlloc(void **p, size_t n, unsigned flags) { (void) flags; return allocate(p, n, true); }
API Error cudaFreeHost(void *p) { return release(p); }
API Error cudaHostGetFlags(unsigned *flags, void *p) { (void) p; *flags = 0; return SUCCESS; }

API Error cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  (void) flags;
  tw_lock();
  Allocation *a = tw_registered(host);
  Error e = a == NULL && tw_find(host) == NULL ? INVALID_VALUE : SUCCESS;
  if (e == SUCCESS) *device = host;
  if (a != NULL) *device = (char *) a->address + ((char *) host - a->pages - (uint64_t) a->host % 4096);
  return unlocked(e);
}

API Error cudaHostRegister(void *host, size_t bytes, unsigned flags) {
  (void) flags;
  tw_lock();
  return unlocked(tw_register(host, bytes));
}

API Error cudaHostUnregister(void *host) {
  tw_lock();
  return unlocked(tw_unregister(host));
}

#define PITCH 512

API Error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  return allocate(p, *pitch * height, false);
}

typedef struct { void *ptr; size_t pitch, xsize, ysize; } Pitched;
typedef struct { size_t width, height, depth; } Extent;

API Error cudaMalloc3D(Pitched *p, Extent e) {
  size_t pitch = (e.width + PITCH - 1) / PITCH * PITCH;
  p->pitch = pitch;
  p->xsize = e.width;
  p->ysize = e.height;
  return allocate(&p->ptr, pitch * e.height * e.depth, false);
}

API Error cudaMemcpy(void *to, const void *from, size_t n, int kind) { (void) kind; return copy(to, from, n); }
API Error cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, Stream s) {
  (void) kind; (void) s; return copy(to, from, n);
}
API Error cudaMemcpyPeer(void *to, int td, const void *from, int fd, size_t n) {
  (void) td; (void) fd; return copy(to, from, n);
}
API Error cudaMemcpyPeerAsync(void *to, int td, const void *from, int fd, size_t n, Stream s) {
  (void) td; (void) fd; (void) s; return copy(to, from, n);
}

API Error cudaMemcpy2D(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t height,
    int kind) {
  (void) kind;
  if (width > to_pitch || width > from_pitch) return done(INVALID_VALUE);
  if (width == to_pitch && width == from_pitch) return copy(to, from, width * height);
  for (size_t i = 0; i < height; i++) {
    Error e = copy(to + i * to_pitch, from + i * from_pitch, width);
    if (e != SUCCESS) return e;
  }
  return done(SUCCESS);
}

API Error cudaMemcpy2DAsync(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
    size_t height, int kind, Stream s) {
  (void) s;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

typedef struct {
  void *from_array; size_t from_x, from_y, from_z; Pitched from;
  void *to_array; size_t to_x, to_y, to_z; Pitched to;
  Extent extent; int kind;
} Copy3D;

API Error cudaMemcpy3D(const Copy3D *c) {
  if (c->from_array != NULL || c->to_array != NULL) return done(tw_unsupported("cudaMemcpy3D with an array"));
  for (size_t z = 0; z < c->extent.depth; z++) {
    const char *from = (const char *) c->from.ptr + c->from_x
        + c->from.pitch * (c->from_y + c->from.ysize * (c->from_z + z));
    char *to = (char *) c->to.ptr + c->to_x + c->to.pitch * (c->to_y + c->to.ysize * (c->to_z + z));
    Error e = cudaMemcpy2D(to, c->to.pitch, from, c->from.pitch, c->extent.width, c->extent.height, c->kind);
    if (e != SUCCESS) return e;
  }
  return done(SUCCESS);
}

API Error cudaMemcpy3DAsync(const Copy3D *c, Stream s) { (void) s; return cudaMemcpy3D(c); }

API Error cudaMemset(void *to, int v, size_t n) { return fill(to, v, 1, n); }
API Error cudaMemsetAsync(void *to, int v, size_t n, Stream s) { (void) s; return fill(to, v, 1, n); }

API Error cudaMemset2D(char *to, size_t pitch, int v, size_t width, size_t height) {
  for (size_t i = 0; i < height; i++) {
    Error e = fill(to + i * pitch, v, 1, width);
    if (e != SUCCESS) return e;
  }
  return done(SUCCESS);
}

API Error cudaMemset2DAsync(char *to, size_t pitch, int v, size_t width, size_t height, Stream s) {
  (void) s;
  return cudaMemset2D(to, pitch, v, width, height);
}

typedef struct { int type, device; void *device_pointer, *host_pointer; long reserved[8]; } Attributes;

API Error cudaPointerGetAttributes(Attributes *p, const void *address) {
  tw_lock();
  Allocation *a = tw_find(address);
  memset(p, 0, CUDA_VERSION >= 13 ? sizeof *p : offsetof(Attributes, reserved));
  // 0: not registered, 2: device, 3: managed.
  p->type = a == NULL ? 0 : a->managed ? 3 : 2;
  p->device = a == NULL ? -2 : 0;
  p->device_pointer = a == NULL ? NULL : (void *) address;
  p->host_pointer = a == NULL || a->managed ? (void *) address : NULL;
  return unlocked(SUCCESS);
}

// Hints, which change nothing here.
API Error cudaMemAdvise(const void *p, size_t n, int advice) { (void) p; (void) n; (void) advice; return SUCCESS; }
API Error cudaMemPrefetchAsync(const void *p, size_t n) { (void) p; (void) n; return SUCCESS; }
API Error cudaStreamAttachMemAsync(Stream s, void *p, size_t n, unsigned flags) {
  (void) s; (void) p; (void) n; (void) flags; return SUCCESS;
}
API Error cudaDeviceGetDefaultMemPool(void **pool, int device) { *pool = tw_device(); return cudaSetDevice(device); }
API Error cudaDeviceGetMemPool(void **pool, int device) { *pool = tw_device(); return cudaSetDevice(device); }
API Error cudaDeviceSetMemPool(int device, void *pool) { (void) pool; return cudaSetDevice(device); }
API Error cudaMemPoolSetAttribute(void *pool, int attribute, void *value) {
  (void) pool; (void) attribute; (void) value; return SUCCESS;
}
API Error cudaMemPoolTrimTo(void *pool, size_t keep) { (void) pool; (void) keep; return SUCCESS; }
API Error cudaMemPoolCreate(void **pool, const void *properties) {
  (void) properties; *pool = tw_device(); return SUCCESS;
}
API Error cudaMemPoolDestroy(void *pool) { (void) pool; return SUCCESS; }

API Error cudaCtxResetPersistingL2Cache(void) { return SUCCESS; }

// ---- Streams and events ----

// Access policies and priorities, which change no result.
API Error cudaStreamSetAttribute(Stream s, int attribute, const void *value) {
  (void) s; (void) attribute; (void) value;
  return SUCCESS;
}

API Error cudaStreamCreate(Stream *s) { *s = calloc(1, sizeof **s); return done(SUCCESS); }
API Error cudaStreamCreateWithFlags(Stream *s, unsigned flags) { (void) flags; return cudaStreamCreate(s); }
API Error cudaStreamCreateWithPriority(Stream *s, unsigned flags, int priority) {
  (void) flags; (void) priority; return cudaStreamCreate(s);
}

API Error cudaStreamDestroy(Stream s) {
  // 1 and 2 stand for the legacy and the per-thread default stream.
  if ((uint64_t) s > 2) free(s);
  return done(SUCCESS);
}

API Error cudaStreamSynchronize(Stream s) { (void) s; return done(tw_settle()); }
API Error cudaStreamQuery(Stream s) { (void) s; return done(tw_settle()); }
API Error cudaStreamWaitEvent(Stream s, Event e, unsigned flags) {
  (void) s; (void) e; (void) flags; return done(SUCCESS);
}
API Error cudaStreamGetPriority(Stream s, int *priority) { (void) s; *priority = 0; return SUCCESS; }
API Error cudaStreamGetFlags(Stream s, unsigned *flags) { (void) s; *flags = 0; return SUCCESS; }
API Error cudaStreamIsCapturing(Stream s, int *status) { (void) s; *status = 0; return SUCCESS; }

API Error cudaStreamAddCallback(Stream s, void (*f)(Stream, Error, void *), void *data, unsigned flags) {
  (void) flags;
  f(s, tw_settle(), data);
  return done(SUCCESS);
}

API Error cudaLaunchHostFunc(Stream s, void (*f)(void *), void *data) {
  (void) s;
  tw_settle();
  f(data);
  return done(SUCCESS);
}

API Error cudaEventCreate(Event *e) { *e = calloc(1, sizeof **e); return done(SUCCESS); }
API Error cudaEventCreateWithFlags(Event *e, unsigned flags) { (void) flags; return cudaEventCreate(e); }
API Error cudaEventDestroy(Event e) { free(e); return done(SUCCESS); }
API Error cudaEventSynchronize(Event e) { (void) e; return done(tw_settle()); }
API Error cudaEventQuery(Event e) { (void) e; return done(tw_settle()); }

API Error cudaEventRecord(Event e, Stream s) {
  (void) s;
  if (e == NULL) return done(INVALID_HANDLE);
  e->ns = tw_now();
  e->recorded = true;
  return done(SUCCESS);
}

API Error cudaEventRecordWithFlags(Event e, Stream s, unsigned flags) { (void) flags; return cudaEventRecord(e, s); }

API Error cudaEventElapsedTime(float *ms, Event from, Event to) {
  if (from == NULL || to == NULL || !from->recorded || !to->recorded) return done(INVALID_HANDLE);
  *ms = (float) ((double) (to->ns - from->ns) * 1e-6);
  return done(SUCCESS);
}

API Error cudaEventElapsedTime_v2(float *ms, Event from, Event to) { return cudaEventElapsedTime(ms, from, to); }

// ---- Kernels ----

typedef struct Variable {
  const void *host;
  const char *name;
  Module *module;
  void **managed;
  size_t bytes;
  struct Variable *next;
} Variable;

static Kernel *kernels;
static Variable *variables;

API void **__cudaRegisterFatBinary(const char *wrapper) {
  // {int magic, int version, const void *image, void *file}
  const void *image;
  memcpy(&image, wrapper + 8, sizeof image);
  void **handle = calloc(1, sizeof *handle);
  *handle = tw_module(image);
  return handle;
}

API void __cudaRegisterFatBinaryEnd(void **handle) { (void) handle; }
API void __cudaUnregisterFatBinary(void **handle) { (void) handle; }
API char __cudaInitModule(void **handle);

API void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit, void *tid,
    void *bid, void *block, void *grid, int *warp) {
  (void) device; (void) limit; (void) tid; (void) bid; (void) block; (void) grid; (void) warp;
  Kernel *k = calloc(1, sizeof *k);
  *k = (Kernel) {.module = *handle, .name = name, .host = host, .next = kernels};
  kernels = k;
}

static Variable *declare(void **handle, const void *host, const char *name) {
  Variable *v = calloc(1, sizeof *v);
  *v = (Variable) {.host = host, .name = name, .module = *handle, .next = variables};
  variables = v;
  return v;
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
    int constant, int global) {
  (void) device; (void) external; (void) bytes; (void) constant; (void) global;
  declare(handle, host, name);
}

API void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name, int external,
    size_t bytes, int constant, int global) {
  (void) device; (void) external; (void) constant; (void) global;
  Variable *v = declare(handle, pointer, name);
  v->managed = pointer;
  v->bytes = bytes;
}

// In PTX a managed variable is a pointer to its memory.
API char __cudaInitModule(void **handle) {
  tw_lock();
  for (Variable *v = variables; v != NULL; v = v->next) {
    if (v->module != *handle || v->managed == NULL || *v->managed != NULL) continue;
    tw_unsupported("a __managed__ variable");
    abort();
  }
  tw_unlock();
  return 1;
}

// A kernel by its stub in the host program, or by its handle.
static Kernel *find(const void *function) {
  for (Kernel *k = kernels; k != NULL; k = k->next) if (k->host == function || k == function) return k;
  return NULL;
}

typedef struct { Dim grid, block; size_t shared; Stream stream; } Configuration;
static __thread Configuration pushed[8];
static __thread int depth;

API unsigned __cudaPushCallConfiguration(Dim grid, Dim block, size_t shared, Stream stream) {
  if (depth == 8) return INVALID_CONFIGURATION;
  pushed[depth++] = (Configuration) {grid, block, shared, stream};
  return SUCCESS;
}

API Error __cudaPopCallConfiguration(Dim *grid, Dim *block, size_t *shared, Stream *stream) {
  if (depth == 0) return INVALID_CONFIGURATION;
  Configuration c = pushed[--depth];
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *stream = c.stream;
  return SUCCESS;
}

static Error launch(const void *function, Launch l, void **arguments) {
  tw_lock();
  Kernel *k = find(function);
  Error e = k == NULL ? INVALID_DEVICE_FUNCTION : tw_kernel(k);
  const Device *d = tw_device();
  if (e == SUCCESS) {
    uint64_t threads = (uint64_t) l.block.x * l.block.y * l.block.z;
    bool empty = threads == 0 || l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0;
    if (empty || threads > 1024 || l.block.z > 64 || l.grid.y > 65535 || l.grid.z > 65535) e = INVALID_CONFIGURATION;
    else if (k->most_threads && threads > k->most_threads) e = INVALID_VALUE;
    else if (l.shared > (uint64_t) k->dynamic_limit || k->static_shared + l.shared > (uint64_t) d->shared_optin) {
      tw_say("launch of %s: %llu bytes of dynamic shared memory, but it has at most %d (see cudaFuncSetAttribute)",
          k->name, (unsigned long long) l.shared, k->dynamic_limit);
      e = INVALID_VALUE;
    }
  }
  if (e == SUCCESS) {
    l.kernel = k;
    tw_pack(k, arguments, &l.parameters);
    e = tw_launch(&l);
    free(l.parameters);
  }
  tw_unlock();
  // What happens in the kernel is told by the next call, as by a GPU that still executes it.
  if (e != SUCCESS) last_error = e;
  return e;
}

#define ONE ((Dim) {1, 1, 1})

API Error cudaLaunchKernel(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  (void) s;
  return launch(f, (Launch) {.grid = grid, .block = block, .cluster = ONE, .shared = shared}, arguments);
}

API Error __cudaLaunchKernel(void *kernel, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, s);
}

API Error cudaLaunchKernel_ptsz(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  return cudaLaunchKernel(f, grid, block, arguments, shared, s);
}

API Error cudaLaunchCooperativeKernel(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  (void) s;
  return launch(f, (Launch) {.grid = grid, .block = block, .cluster = ONE, .shared = shared, .cooperative = true},
      arguments);
}

typedef struct { int id; char pad[4]; union { char bytes[64]; int value; Dim cluster; } value; } LaunchAttribute;
typedef struct {
  Dim grid, block;
  size_t shared;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned count;
} LaunchConfig;

API Error cudaLaunchKernelExC(const LaunchConfig *c, const void *f, void **arguments) {
  Launch l = {.grid = c->grid, .block = c->block, .cluster = ONE, .shared = c->shared};
  for (unsigned i = 0; i < c->count; i++) {
    const LaunchAttribute *a = &c->attributes[i];
    if (a->id == 2) l.cooperative = a->value.value != 0;
    if (a->id == 4) l.cluster = a->value.cluster;
  }
  return launch(f, l, arguments);
}

API Error __cudaGetKernel(Kernel **kernel, const void *function) {
  *kernel = find(function);
  return *kernel == NULL ? INVALID_DEVICE_FUNCTION : SUCCESS;
}

API Error cudaGetKernel(Kernel **kernel, const void *function) { return done(__cudaGetKernel(kernel, function)); }
API Error cudaGetFuncBySymbol(Kernel **kernel, const void *function) { return done(__cudaGetKernel(kernel, function)); }

API Error cudaFuncGetName(const char **name, const void *function) {
  Kernel *k = find(function);
  if (k != NULL) *name = k->name;
  return done(k == NULL ? INVALID_DEVICE_FUNCTION : SUCCESS);
}

static Error loaded(const void *function, Kernel **k) {
  tw_lock();
  *k = find(function);
  return unlocked(*k == NULL ? INVALID_DEVICE_FUNCTION : tw_kernel(*k));
}

typedef struct {
  size_t shared, constant, local;
  int most_threads, registers, ptx, binary, cache, most_dynamic, carveout, cluster_needed, cluster[3], policy, big;
  int reserved[16];
} FunctionAttributes;

#define REGISTERS 32

API Error cudaFuncGetAttributes(FunctionAttributes *p, const void *function) {
  Kernel *k;
  Error e = loaded(function, &k);
  if (e != SUCCESS) return e;
  memset(p, 0, sizeof *p);
  p->shared = k->static_shared;
  p->local = k->local_bytes;
  p->most_threads = k->most_threads ? k->most_threads : 1024;
  // How many an assembler would take is not known.
  p->registers = REGISTERS;
  p->ptx = p->binary = tw_device()->capability;
  p->most_dynamic = k->dynamic_limit;
  p->carveout = -1;
  return SUCCESS;
}

API Error cudaFuncSetAttribute(const void *function, int attribute, int value) {
  Kernel *k;
  Error e = loaded(function, &k);
  if (e != SUCCESS) return e;
  if (attribute == 8) {
    if (value < 0 || value + (int64_t) k->static_shared > tw_device()->shared_optin) return done(INVALID_VALUE);
    k->dynamic_limit = value;
  }
  return SUCCESS;
}

API Error cudaFuncSetCacheConfig(const void *f, int config) { (void) f; (void) config; return SUCCESS; }
API Error cudaFuncSetSharedMemConfig(const void *f, int config) { (void) f; (void) config; return SUCCESS; }

API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
    size_t shared, unsigned flags) {
  (void) flags;
  Kernel *k;
  Error e = loaded(function, &k);
  if (e != SUCCESS) return e;
  if (threads < 1) return done(INVALID_VALUE);
  const Device *d = tw_device();
  int64_t warps = (threads + 31) / 32, most = d->warps_per_sm / warps;
  int64_t by_shared = d->shared_per_sm / (int64_t) (k->static_shared + shared + 1024);
  int64_t by_registers = 65536 / (REGISTERS * 32 * warps);
  if (by_shared < most) most = by_shared;
  if (by_registers < most) most = by_registers;
  if (d->blocks_per_sm < most) most = d->blocks_per_sm;
  *blocks = threads > 1024 ? 0 : (int) most;
  return SUCCESS;
}

API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *f, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

API Error cudaOccupancyMaxPotentialClusterSize(int *size, const void *f, const LaunchConfig *c) {
  (void) f; (void) c;
  *size = 8;
  return SUCCESS;
}

API Error cudaOccupancyMaxActiveClusters(int *clusters, const void *f, const LaunchConfig *c) {
  int blocks;
  Error e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, c->block.x * c->block.y * c->block.z, c->shared);
  if (e != SUCCESS) return e;
  int64_t size = 1;
  for (unsigned i = 0; i < c->count; i++) {
    Dim d = c->attributes[i].value.cluster;
    if (c->attributes[i].id == 4) size = (int64_t) d.x * d.y * d.z;
  }
  *clusters = (int) (blocks * tw_device()->multiprocessors / size);
  return SUCCESS;
}

// ---- Symbols ----

static Error symbol(const void *host, char **address, size_t *bytes) {
  for (Variable *v = variables; v != NULL; v = v->next) {
    if (v->host == host) return tw_variable(v->module, v->name, (void **) address, bytes);
  }
  return INVALID_SYMBOL;
}

API Error cudaGetSymbolAddress(void **p, const void *host) {
  tw_lock();
  return unlocked(symbol(host, (char **) p, NULL));
}

API Error cudaGetSymbolSize(size_t *bytes, const void *host) {
  char *address;
  tw_lock();
  return unlocked(symbol(host, &address, bytes));
}

API Error cudaMemcpyToSymbol(const void *host, const void *from, size_t n, size_t offset, int kind) {
  (void) kind;
  char *address;
  tw_lock();
  Error e = symbol(host, &address, NULL);
  if (e == SUCCESS) e = tw_copy(address + offset, from, n);
  return unlocked(e);
}

API Error cudaMemcpyFromSymbol(void *to, const void *host, size_t n, size_t offset, int kind) {
  (void) kind;
  char *address;
  tw_lock();
  Error e = symbol(host, &address, NULL);
  if (e == SUCCESS) e = tw_copy(to, address + offset, n);
  return unlocked(e);
}

API Error cudaMemcpyToSymbolAsync(const void *h, const void *from, size_t n, size_t offset, int kind, Stream s) {
  (void) s;
  return cudaMemcpyToSymbol(h, from, n, offset, kind);
}

API Error cudaMemcpyFromSymbolAsync(void *to, const void *h, size_t n, size_t offset, int kind, Stream s) {
  (void) s;
  return cudaMemcpyFromSymbol(to, h, n, offset, kind);
}

// ---- The driver API, by name ----

// cuTensorMapEncodeTiled. The simulator checks the values.
static Error encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle,
    int promotion, int fill_mode) {
  if (map == NULL || rank < 1 || rank > 5) return INVALID_VALUE;
  if (extents == NULL || box == NULL || element_strides == NULL) return INVALID_VALUE;
  int64_t words[7 + 4 * 5] = {type, rank, (int64_t) address, interleave, swizzle, promotion, fill_mode};
  for (uint32_t i = 0; i < rank; i++) {
    words[7 + i] = (int64_t) extents[i];
    words[12 + i] = i + 1 < rank ? (int64_t) strides[i] : 0;
    words[17 + i] = box[i];
    words[22 + i] = element_strides[i];
  }
  tw_lock();
  Error e = tw_encode_tiled(map, words, sizeof words / sizeof *words);
  tw_unlock();
  return e;
}

API Error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status) {
  (void) flags;
  bool found = strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *function = found ? (void *) encode_tiled : NULL;
  if (status != NULL) *status = found ? 0 : 1;
  if (!found) tw_unsupported(name);
  return done(found ? SUCCESS : NOT_FOUND);
}

API Error cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags,
    int *status) {
  (void) version;
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
