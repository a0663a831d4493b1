// The CUDA driver API: devices, contexts and errors. A context is a device that a thread uses.
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INVALID_CONTEXT 201
// How many contexts may be current in a thread, one above the other.
#define DEPTH 16

typedef struct Context { int device; } Context;

static Context primary[16];
static __thread Context *current[DEPTH];
static __thread int depth;

API Result cuInit(unsigned flags) { return flags == 0 ? SUCCESS : INVALID_VALUE; }
API Result cuProfilerStart(void) { return SUCCESS; }
API Result cuProfilerStop(void) { return SUCCESS; }
API Result cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }

static const struct { int code; const char *name; } names[] = {
  {0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
  {101, "CUDA_ERROR_INVALID_DEVICE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"}, {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
  {218, "CUDA_ERROR_INVALID_PTX"}, {301, "CUDA_ERROR_FILE_NOT_FOUND"}, {400, "CUDA_ERROR_INVALID_HANDLE"},
  {401, "CUDA_ERROR_ILLEGAL_STATE"}, {500, "CUDA_ERROR_NOT_FOUND"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
  {702, "CUDA_ERROR_LAUNCH_TIMEOUT"}, {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
  {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"}, {710, "CUDA_ERROR_ASSERT"},
  {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"}, {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
  {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},
  {801, "CUDA_ERROR_NOT_SUPPORTED"}, {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
  {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}, {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
  {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"}, {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
  {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"}};

API Result cuGetErrorName(Result e, const char **name) {
  *name = NULL;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) if (names[i].code == e) *name = names[i].name;
  return *name == NULL ? INVALID_VALUE : SUCCESS;
}

API Result cuGetErrorString(Result e, const char **text) {
  *text = tw_error_text(e);
  return *text == NULL ? INVALID_VALUE : SUCCESS;
}

static Result known(int device) { return tw_has_device(device) ? SUCCESS : INVALID_DEVICE; }

API Result cuDeviceGetCount(int *count) { *count = (int) tw_device()->devices; return SUCCESS; }
API Result cuDeviceGet(int *device, int number) {
  *device = number;
  return known(number);
}

API Result cuDeviceGetName(char *name, int room, int device) {
  if (!tw_has_device(device)) return INVALID_DEVICE;
  snprintf(name, room, "%s", tw_device()->name);
  return SUCCESS;
}

API Result cuDeviceGetUuid_v2(char *uuid, int device) {
  memcpy(uuid, "tilewright sim ", 16);
  uuid[15] = (char) device;
  return known(device);
}

API Result cuDeviceGetUuid(char *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

API Result cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = tw_device()->memory_bytes;
  return known(device);
}

API Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  return tw_has_device(device) ? tw_attribute(attribute, value) : INVALID_DEVICE;
}

API Result cuDeviceComputeCapability(int *major, int *minor, int device) {
  *major = tw_device()->capability / 10;
  *minor = tw_device()->capability % 10;
  return known(device);
}

API Result cuDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = tw_can_access(device, peer);
  return tw_has_device(device) ? known(peer) : INVALID_DEVICE;
}
API Result cuCtxEnablePeerAccess(Context *peer, unsigned flags) {
  if (peer == NULL) return INVALID_CONTEXT;
  return flags == 0 ? tw_permit(peer->device, true) : INVALID_VALUE;
}
API Result cuCtxDisablePeerAccess(Context *peer) {
  return peer == NULL ? INVALID_CONTEXT : tw_permit(peer->device, false);
}

API Result cuCtxPushCurrent_v2(Context *c) {
  if (c == NULL || depth == DEPTH) return INVALID_CONTEXT;
  current[depth++] = c;
  return tw_use_device(c->device);
}

API Result cuCtxPopCurrent_v2(Context **c) {
  if (depth == 0) return INVALID_CONTEXT;
  depth--;
  if (c != NULL) *c = current[depth];
  return depth == 0 ? SUCCESS : tw_use_device(current[depth - 1]->device);
}

API Result cuCtxSetCurrent(Context *c) {
  if (depth > 0) depth--;
  return c == NULL ? SUCCESS : cuCtxPushCurrent_v2(c);
}

API Result cuCtxGetCurrent(Context **c) {
  *c = depth == 0 ? NULL : current[depth - 1];
  return SUCCESS;
}

static Result create(Context **c, int device) {
  if (c == NULL) return INVALID_VALUE;
  if (!tw_has_device(device)) return INVALID_DEVICE;
  *c = calloc(1, sizeof **c);
  (*c)->device = device;
  return cuCtxPushCurrent_v2(*c);
}

API Result cuCtxCreate_v2(Context **c, unsigned flags, int device) { (void) flags; return create(c, device); }
API Result cuCtxCreate_v3(Context **c, void *affinity, int count, unsigned flags, int device) {
  (void) affinity; (void) count; (void) flags; return create(c, device);
}
API Result cuCtxCreate_v4(Context **c, void *parameters, unsigned flags, int device) {
  (void) parameters; (void) flags; return create(c, device);
}

API Result cuCtxDestroy_v2(Context *c) {
  if (c == NULL) return INVALID_CONTEXT;
  if (depth > 0 && current[depth - 1] == c) depth--;
  Result e = tw_settle();
  if (c != &primary[c->device]) free(c);
  return e;
}

// The first forms of these calls differ in nothing.
API Result cuCtxPushCurrent(Context *c) { return cuCtxPushCurrent_v2(c); }
API Result cuCtxPopCurrent(Context **c) { return cuCtxPopCurrent_v2(c); }
API Result cuCtxDestroy(Context *c) { return cuCtxDestroy_v2(c); }

API Result cuCtxSynchronize(void) { return tw_settle(); }
API Result cuCtxGetDevice(int *device) { *device = tw_current_device(); return SUCCESS; }
API Result cuCtxGetFlags(unsigned *flags) { *flags = 0; return SUCCESS; }
API Result cuCtxGetApiVersion(Context *c, unsigned *version) { (void) c; *version = 3020; return SUCCESS; }
API Result cuCtxGetLimit(size_t *value, int limit) { return tw_limit(limit, value); }
API Result cuCtxSetLimit(int limit, size_t value) { return tw_set_limit(limit, value); }
API Result cuCtxGetCacheConfig(int *config) { *config = 0; return SUCCESS; }
API Result cuCtxSetCacheConfig(int config) { (void) config; return SUCCESS; }
API Result cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return SUCCESS; }

API Result cuDevicePrimaryCtxRetain(Context **c, int device) {
  if (!tw_has_device(device)) return INVALID_DEVICE;
  *c = &primary[device];
  (*c)->device = device;
  return SUCCESS;
}
API Result cuDevicePrimaryCtxRelease_v2(int device) { return known(device); }
API Result cuDevicePrimaryCtxReset_v2(int device) { return tw_has_device(device) ? tw_settle() : INVALID_DEVICE; }
API Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { (void) device; (void) flags; return SUCCESS; }
API Result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return known(device);
}

// The newest form of a call; it is there even if it only says that it is missing.
API Result cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  (void) version; (void) flags;
  *function = NULL;
  static const char *const forms[] = {"_v4", "_v3", "_v2", ""};
  for (int i = 0; i < 4 && *function == NULL; i++) {
    char symbol[256];
    snprintf(symbol, sizeof symbol, "%s%s", name, forms[i]);
    *function = dlsym(RTLD_DEFAULT, symbol);
  }
  // 0: found, 1: there is no such call.
  if (status != NULL) *status = *function == NULL;
  return *function == NULL ? NOT_FOUND : SUCCESS;
}

API Result cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

// Programs with the static runtime begin with it.
API Result cuGetExportTable(const void **table, const void *id) {
  (void) id;
  (void) table;
  // That runtime does not look at errors, and crashes.
  tw_unsuitable("it contains the static CUDA runtime: link it with nvcc -cudart shared");
}
