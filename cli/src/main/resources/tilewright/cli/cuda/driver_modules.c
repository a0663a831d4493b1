// The CUDA driver API: modules, libraries, kernels and launches. A kernel is a function too.
#include "driver.h"
#include <string.h>

API Result cuModuleLoadData(Module **m, const void *image) { return result(tw_load(image, m)); }
// What the options ask of an assembler has no meaning here.
API Result cuModuleLoadDataEx(Module **m, const void *image, unsigned count, int *options, void **values) {
  (void) count; (void) options; (void) values;
  return cuModuleLoadData(m, image);
}
API Result cuModuleLoadFatBinary(Module **m, const void *image) { return cuModuleLoadData(m, image); }
API Result cuModuleLoad(Module **m, const char *path) { return result(tw_load_file(path, m)); }
// A module stays in memory: its kernels may still run.
API Result cuModuleUnload(Module *m) { return m == NULL ? INVALID_HANDLE : tw_settle(); }
API Result cuModuleGetFunction(Kernel **k, Module *m, const char *name) { return result(tw_kernel_named(m, name, k)); }
API Result cuModuleGetGlobal_v2(void **address, size_t *bytes, Module *m, const char *name) {
  Result e = tw_variable(m, name, address, bytes);
  return result(e == INVALID_SYMBOL ? NOT_FOUND : e);
}
API Result cuModuleGetLoadingMode(int *mode) { *mode = 2; return SUCCESS; }

API Result cuLibraryLoadData(Module **m, const void *image, int *jit, void **jit_values, unsigned jit_count,
    int *options, void **values, unsigned count) {
  (void) jit; (void) jit_values; (void) jit_count; (void) options; (void) values; (void) count;
  return cuModuleLoadData(m, image);
}
API Result cuLibraryLoadFromFile(Module **m, const char *path, int *jit, void **jit_values, unsigned jit_count,
    int *options, void **values, unsigned count) {
  (void) jit; (void) jit_values; (void) jit_count; (void) options; (void) values; (void) count;
  return cuModuleLoad(m, path);
}
API Result cuLibraryUnload(Module *m) { return cuModuleUnload(m); }
API Result cuLibraryGetKernel(Kernel **k, Module *m, const char *name) { return cuModuleGetFunction(k, m, name); }
API Result cuLibraryGetModule(Module **module, Module *m) { *module = m; return SUCCESS; }
API Result cuLibraryGetGlobal(void **address, size_t *bytes, Module *m, const char *name) {
  return cuModuleGetGlobal_v2(address, bytes, m, name);
}
API Result cuKernelGetFunction(Kernel **f, Kernel *k) { *f = k; return k == NULL ? INVALID_HANDLE : SUCCESS; }

API Result cuFuncGetParamInfo(const Kernel *k, size_t index, size_t *offset, size_t *bytes) {
  if (k == NULL) return INVALID_HANDLE;
  if (index >= k->parameters || offset == NULL) return INVALID_VALUE;
  *offset = k->parameter[index].offset;
  if (bytes != NULL) *bytes = k->parameter[index].bytes;
  return SUCCESS;
}
API Result cuKernelGetParamInfo(const Kernel *k, size_t index, size_t *offset, size_t *bytes) {
  return cuFuncGetParamInfo(k, index, offset, bytes);
}

API Result cuFuncGetName(const char **name, const Kernel *k) {
  if (k == NULL) return INVALID_HANDLE;
  *name = k->name;
  return SUCCESS;
}

API Result cuFuncGetAttribute(int *value, int attribute, const Kernel *k) {
  if (k == NULL) return INVALID_HANDLE;
  switch (attribute) {
    case 0: *value = k->most_threads ? (int) k->most_threads : 1024; break;
    case 1: *value = k->static_shared; break;
    case 3: *value = k->local_bytes; break;
    case 4: *value = REGISTERS; break;
    case 5: case 6: *value = tw_device()->capability; break;
    case 8: *value = k->dynamic_limit; break;
    case 9: *value = -1; break;
    default:
      if (attribute < 0 || attribute > 15) return INVALID_VALUE;
      *value = 0;
  }
  return SUCCESS;
}

API Result cuFuncSetAttribute(Kernel *k, int attribute, int value) {
  if (k == NULL) return INVALID_HANDLE;
  // 8: the most dynamic shared memory. The others are hints.
  return attribute == 8 ? tw_set_dynamic_limit(k, value) : SUCCESS;
}
API Result cuKernelGetAttribute(int *value, int attribute, const Kernel *k, int device) {
  return tw_has_device(device) ? cuFuncGetAttribute(value, attribute, k) : INVALID_DEVICE;
}
API Result cuKernelSetAttribute(int attribute, int value, Kernel *k, int device) {
  return tw_has_device(device) ? cuFuncSetAttribute(k, attribute, value) : INVALID_DEVICE;
}
API Result cuFuncSetCacheConfig(Kernel *k, int config) { (void) k; (void) config; return SUCCESS; }
API Result cuFuncSetSharedMemConfig(Kernel *k, int config) { (void) k; (void) config; return SUCCESS; }

API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *k, int threads, size_t shared) {
  if (k == NULL) return INVALID_HANDLE;
  if (threads < 1) return INVALID_VALUE;
  *blocks = tw_occupancy(k, threads, shared);
  return SUCCESS;
}
API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Kernel *k, int threads, size_t shared,
    unsigned flags) {
  (void) flags;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, k, threads, shared);
}

// The largest block among those that fill the SM best.
API Result cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Kernel *k, size_t (*shared_of)(int),
    size_t shared, int limit, unsigned flags) {
  (void) flags;
  if (k == NULL) return INVALID_HANDLE;
  int most = k->most_threads ? (int) k->most_threads : 1024, best = 0;
  if (limit > 0 && limit < most) most = limit;
  for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
    int used = threads < most ? threads : most;
    int blocks = tw_occupancy(k, used, shared_of ? shared_of(used) : shared);
    if (blocks * used <= best) continue;
    best = blocks * used;
    *block = used;
    *grid = blocks * (int) tw_device()->multiprocessors;
  }
  return best > 0 ? SUCCESS : INVALID_VALUE;
}
API Result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel *k, size_t (*shared_of)(int), size_t shared,
    int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, k, shared_of, shared, limit, 0);
}

// 'extra' is a list of keys with values: 1 is the address of the parameters, 2 that of their size, 0 the end.
static Result pack(Kernel *k, void **arguments, void **extra, char **packed) {
  if (arguments != NULL || extra == NULL) return tw_pack(k, arguments, packed);
  const void *bytes = NULL;
  size_t count = 0;
  for (void **p = extra; *p != NULL; p += 2) {
    if (p[0] == (void *) 1) bytes = p[1];
    else if (p[0] == (void *) 2) memcpy(&count, p[1], sizeof count);
    else return INVALID_VALUE;
  }
  return bytes == NULL ? INVALID_VALUE : tw_pack_bytes(k, bytes, count, packed);
}

static Result launch(Launch l, Stream s, void **arguments, void **extra) {
  if (l.kernel == NULL) return INVALID_HANDLE;
  Result e = tw_check(&l);
  // The driver API has no error of its own for this.
  if (e == INVALID_CONFIGURATION) e = INVALID_VALUE;
  if (e == SUCCESS) e = pack(l.kernel, arguments, extra, &l.parameters);
  return result(e == SUCCESS ? tw_submit(s, (Work) {LAUNCH, .launch = l}) : e);
}

API Result cuLaunchKernel(Kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, Stream s, void **arguments, void **extra) {
  Launch l = {.kernel = k, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .cluster = ONE, .shared = shared};
  return launch(l, s, arguments, extra);
}

API Result cuLaunchCooperativeKernel(Kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, Stream s, void **arguments) {
  Launch l = {.kernel = k, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .cluster = ONE, .shared = shared,
      .cooperative = true};
  return launch(l, s, arguments, NULL);
}

typedef struct { int id; char pad[4]; union { char bytes[64]; int value; Dim cluster; } value; } LaunchAttribute;
typedef struct {
  Dim grid, block;
  unsigned shared;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned count;
} LaunchConfig;

API Result cuLaunchKernelEx(const LaunchConfig *c, Kernel *k, void **arguments, void **extra) {
  Launch l = {.kernel = k, .grid = c->grid, .block = c->block, .cluster = ONE, .shared = c->shared};
  for (unsigned i = 0; i < c->count; i++) {
    const LaunchAttribute *a = &c->attributes[i];
    if (a->id == 2) l.cooperative = a->value.value != 0;
    if (a->id == 4) l.cluster = a->value.cluster;
  }
  return launch(l, c->stream, arguments, extra);
}

API Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle,
    int promotion, int fill_mode) {
  return tw_encode_tiled(map, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
      promotion, fill_mode);
}
