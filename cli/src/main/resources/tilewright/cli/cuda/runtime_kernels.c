// The CUDA runtime API: kernels, their launches, and variables.
#include "runtime.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Variable {
  const void *host;
  const char *name;
  Module *module;
  void **managed;
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

API void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit, void *tid,
    void *bid, void *block, void *grid, int *warp) {
  (void) device; (void) limit; (void) tid; (void) bid; (void) block; (void) grid; (void) warp;
  Kernel *k = calloc(1, sizeof *k);
  *k = (Kernel) {.module = *handle, .name = name, .host = host, .next = kernels};
  kernels = k;
}

static void declare(void **handle, const void *host, const char *name, void **managed) {
  Variable *v = calloc(1, sizeof *v);
  *v = (Variable) {.host = host, .name = name, .module = *handle, .managed = managed, .next = variables};
  variables = v;
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
    int constant, int global) {
  (void) device; (void) external; (void) bytes; (void) constant; (void) global;
  declare(handle, host, name, NULL);
}

API void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name, int external,
    size_t bytes, int constant, int global) {
  (void) device; (void) external; (void) bytes; (void) constant; (void) global;
  declare(handle, pointer, name, pointer);
}

// The program calls it before it uses a managed variable: each is a pointer in the host program.
API char __cudaInitModule(void **handle) {
  LOCKED;
  for (Variable *v = variables; v != NULL; v = v->next) {
    if (v->module != *handle || v->managed == NULL || *v->managed != NULL) continue;
    Error e = done(tw_managed_variable(v->module, v->name, v->managed));
    if (e == SUCCESS) continue;
    tw_say("the managed variable %s has no memory: %s", v->name, tw_error_text(e));
    abort();
  }
  return 1;
}

Kernel *kernel_of(const void *function) {
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

Error prepare(const void *function, Launch l, void **arguments, void **extra, Work *w) {
  if (extra != NULL) return tw_unsupported("a kernel node with parameters in 'extra'");
  Kernel *k = kernel_of(function);
  Error e = k == NULL ? INVALID_DEVICE_FUNCTION : tw_kernel(k);
  l.kernel = k;
  if (e == SUCCESS) e = tw_check(&l);
  if (e == SUCCESS) e = tw_pack(k, arguments, &l.parameters);
  if (e == SUCCESS) *w = (Work) {LAUNCH, .launch = l};
  return e;
}

static Error launch(const void *function, Launch l, void **arguments, Stream s) {
  Work w;
  Error e = prepare(function, l, arguments, NULL, &w);
  return done(e == SUCCESS ? tw_submit(s, w) : e);
}

API Error cudaLaunchKernel(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  return launch(f, (Launch) {.grid = grid, .block = block, .cluster = ONE, .shared = shared}, arguments, s);
}

API Error __cudaLaunchKernel(void *kernel, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, s);
}

API Error cudaLaunchKernel_ptsz(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  return cudaLaunchKernel(f, grid, block, arguments, shared, s);
}

API Error cudaLaunchCooperativeKernel(const void *f, Dim grid, Dim block, void **arguments, size_t shared, Stream s) {
  Launch l = {.grid = grid, .block = block, .cluster = ONE, .shared = shared, .cooperative = true};
  return launch(f, l, arguments, s);
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
  return launch(f, l, arguments, c->stream);
}

API Error __cudaGetKernel(Kernel **kernel, const void *function) {
  *kernel = kernel_of(function);
  return *kernel == NULL ? INVALID_DEVICE_FUNCTION : SUCCESS;
}

API Error cudaGetKernel(Kernel **kernel, const void *function) { return done(__cudaGetKernel(kernel, function)); }

static Error loaded(const void *function, Kernel **k) {
  *k = kernel_of(function);
  return *k == NULL ? INVALID_DEVICE_FUNCTION : tw_kernel(*k);
}

// The handle is one of the driver API too.
API Error cudaGetFuncBySymbol(Kernel **kernel, const void *function) { return done(loaded(function, kernel)); }

API Error cudaFuncGetName(const char **name, const void *function) {
  Kernel *k = kernel_of(function);
  if (k != NULL) *name = k->name;
  return done(k == NULL ? INVALID_DEVICE_FUNCTION : SUCCESS);
}

typedef struct {
  size_t shared, constant, local;
  int most_threads, registers, ptx, binary, cache, most_dynamic, carveout, cluster_needed, cluster[3], policy, big;
  int reserved[16];
} FunctionAttributes;

API Error cudaFuncGetAttributes(FunctionAttributes *p, const void *function) {
  Kernel *k;
  Error e = loaded(function, &k);
  if (e != SUCCESS) return done(e);
  memset(p, 0, sizeof *p);
  p->shared = k->static_shared;
  p->local = k->local_bytes;
  p->most_threads = k->most_threads ? k->most_threads : 1024;
  p->registers = REGISTERS;
  p->ptx = p->binary = tw_device()->capability;
  p->most_dynamic = k->dynamic_limit;
  p->carveout = -1;
  return done(SUCCESS);
}

API Error cudaFuncSetAttribute(const void *function, int attribute, int value) {
  Kernel *k;
  Error e = loaded(function, &k);
  // 8: the most dynamic shared memory. The others are hints.
  return done(e == SUCCESS && attribute == 8 ? tw_set_dynamic_limit(k, value) : e);
}

API Error cudaFuncSetCacheConfig(const void *f, int config) { (void) f; (void) config; return SUCCESS; }
API Error cudaFuncSetSharedMemConfig(const void *f, int config) { (void) f; (void) config; return SUCCESS; }

API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
    size_t shared, unsigned flags) {
  (void) flags;
  Kernel *k;
  Error e = threads < 1 ? INVALID_VALUE : loaded(function, &k);
  if (e == SUCCESS) *blocks = tw_occupancy(k, threads, shared);
  return done(e);
}

API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *f, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

// The shared memory that is left when so many blocks of a kernel share an SM.
API Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads) {
  Kernel *k;
  Error e = threads < 1 || blocks < 1 ? INVALID_VALUE : loaded(function, &k);
  if (e != SUCCESS) return done(e);
  int64_t left = tw_device()->shared_per_sm / blocks - 1024 - k->static_shared;
  int64_t most = tw_device()->shared_optin - k->static_shared;
  *bytes = left < 0 ? 0 : left < most ? left : most;
  return done(SUCCESS);
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

static Error symbol(const void *host, void *address, size_t *bytes) {
  for (Variable *v = variables; v != NULL; v = v->next) {
    if (v->host == host) return tw_variable(v->module, v->name, address, bytes);
  }
  return INVALID_SYMBOL;
}

API Error cudaGetSymbolAddress(void **p, const void *host) { return done(symbol(host, p, NULL)); }
API Error cudaGetSymbolSize(size_t *bytes, const void *host) { return done(symbol(host, NULL, bytes)); }

API Error cudaMemcpyToSymbolAsync(const void *host, const void *from, size_t n, size_t offset, int kind, Stream s) {
  (void) kind;
  char *address;
  Error e = symbol(host, &address, NULL);
  return done(e == SUCCESS ? tw_submit(s, tw_copy_of(address + offset, from, n)) : e);
}

API Error cudaMemcpyFromSymbolAsync(void *to, const void *host, size_t n, size_t offset, int kind, Stream s) {
  (void) kind;
  char *address;
  Error e = symbol(host, &address, NULL);
  return done(e == SUCCESS ? tw_submit(s, tw_copy_of(to, address + offset, n)) : e);
}

API Error cudaMemcpyToSymbol(const void *host, const void *from, size_t n, size_t offset, int kind) {
  return cudaMemcpyToSymbolAsync(host, from, n, offset, kind, NULL);
}

API Error cudaMemcpyFromSymbol(void *to, const void *host, size_t n, size_t offset, int kind) {
  return cudaMemcpyFromSymbolAsync(to, host, n, offset, kind, NULL);
}

// The newest form of a call of the driver API.
API Error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Error (*lookup)(const char *, void **, int, uint64_t, int *) = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
  *function = NULL;
  if (status != NULL) *status = 1;
  Error e = lookup == NULL ? NOT_FOUND : lookup(name, function, 13000, flags, status);
  if (e != SUCCESS) tw_unsupported(name);
  return done(e);
}

API Error cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags,
    int *status) {
  (void) version;
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
