// The CUDA runtime API: errors and devices.
#include "runtime.h"
#include <stdio.h>
#include <string.h>

static __thread Error last_error;

Error done(Error e) {
  if (e == SUCCESS) e = tw_sticky();
  if (e != SUCCESS) last_error = e;
  return e;
}

API const char *cudaGetErrorName(Error e) {
  const char *name = tw_error_name(e);
  return name == NULL ? "unrecognized error code" : name;
}

API const char *cudaGetErrorString(Error e) {
  const char *text = tw_error_text(e);
  return text == NULL ? "unrecognized error code" : text;
}

API Error cudaGetLastError(void) {
  Error e = tw_sticky() ? tw_sticky() : last_error;
  last_error = SUCCESS;
  return e;
}

API Error cudaPeekAtLastError(void) { return tw_sticky() ? tw_sticky() : last_error; }

API Error cudaGetDeviceCount(int *count) { *count = (int) tw_device()->devices; return SUCCESS; }
API Error cudaGetDevice(int *device) { *device = tw_current_device(); return SUCCESS; }
API Error cudaSetDevice(int device) { return done(tw_use_device(device)); }
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
  *can = tw_can_access(device, peer);
  return done(tw_has_device(device) && tw_has_device(peer) ? SUCCESS : INVALID_DEVICE);
}
API Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return done(flags == 0 ? tw_permit(peer, true) : INVALID_VALUE);
}
API Error cudaDeviceDisablePeerAccess(int peer) { return done(tw_permit(peer, false)); }
API Error cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
  if (!tw_can_access(device, peer)) return done(INVALID_DEVICE);
  // 1: the rank of their speed, 2: access, 3: atomics, 4: arrays.
  *value = attribute == 2 || attribute == 3;
  return done(attribute < 1 || attribute > 4 ? INVALID_VALUE : SUCCESS);
}
API Error cudaDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
API Error cudaRuntimeGetVersion(int *version) { *version = CUDA_VERSION * 1000; return SUCCESS; }
API Error cudaProfilerStart(void) { return SUCCESS; }
API Error cudaProfilerStop(void) { return SUCCESS; }
API Error cudaDeviceSetCacheConfig(int config) { (void) config; return SUCCESS; }
API Error cudaDeviceGetCacheConfig(int *config) { *config = 0; return SUCCESS; }
API Error cudaDeviceSetSharedMemConfig(int config) { (void) config; return SUCCESS; }
API Error cudaDeviceSetLimit(int limit, size_t value) { return done(tw_set_limit(limit, value)); }
API Error cudaDeviceGetLimit(size_t *value, int limit) { return done(tw_limit(limit, value)); }
API Error cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return SUCCESS; }

API Error cudaDeviceGetPCIBusId(char *id, int length, int device) {
  if (!tw_has_device(device)) return done(INVALID_DEVICE);
  snprintf(id, length, "0000:%02x:00.0", device + 1);
  return SUCCESS;
}

// The fields of cudaDeviceProp by offset. CUDA 13 dropped some of those that CUDA 12 has.
API Error cudaGetDeviceProperties(char *p, int device) {
  if (!tw_has_device(device)) return done(INVALID_DEVICE);
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
  return done(tw_has_device(device) ? tw_attribute(attribute, value) : INVALID_DEVICE);
}
