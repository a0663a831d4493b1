// The CUDA runtime API: memory pools. They keep nothing; a pool's number tells other processes what belongs to it.
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct { uint64_t number; } Pool;

// cudaMemHandleTypePosixFileDescriptor, and cudaMemAccessFlagsProtReadWrite.
#define AS_FILE 1
#define READ_AND_WRITE 3

static Pool standard;
static uint32_t pools;

static Error default_pool(Pool **pool, int device) {
  *pool = &standard;
  return done(tw_has_device(device) ? SUCCESS : INVALID_DEVICE);
}

API Error cudaDeviceGetDefaultMemPool(Pool **pool, int device) { return default_pool(pool, device); }
API Error cudaDeviceGetMemPool(Pool **pool, int device) { return default_pool(pool, device); }
API Error cudaDeviceSetMemPool(int device, Pool *pool) { return default_pool(&pool, device); }

API Error cudaMemPoolCreate(Pool **pool, const void *properties) {
  (void) properties;
  LOCKED;
  *pool = calloc(1, sizeof **pool);
  (*pool)->number = (uint64_t) getpid() << 32 | ++pools;
  return done(SUCCESS);
}
// Memory of it may still be in use.
API Error cudaMemPoolDestroy(Pool *pool) { return done(pool == NULL ? INVALID_VALUE : SUCCESS); }
API Error cudaMemPoolTrimTo(Pool *pool, size_t keep) { (void) pool; (void) keep; return SUCCESS; }
API Error cudaMemPoolSetAccess(Pool *pool, const void *accesses, size_t count) {
  (void) pool; (void) accesses; (void) count; return SUCCESS;
}
API Error cudaMemPoolGetAccess(int *flags, Pool *pool, const void *location) {
  (void) pool; (void) location;
  *flags = READ_AND_WRITE;
  return done(SUCCESS);
}
API Error cudaMemPoolSetAttribute(Pool *pool, int attribute, void *value) {
  (void) pool; (void) attribute; (void) value; return SUCCESS;
}

API Error cudaMallocFromPoolAsync(void **p, size_t n, Pool *pool, Stream s) {
  LOCKED;
  Error e = pool == NULL ? INVALID_VALUE : cudaMallocAsync(p, n, s);
  Allocation *a = e == SUCCESS ? tw_find(*p) : NULL;
  if (a != NULL) a->pool = pool->number;
  return done(e);
}

// The file holds the pool's number.
API Error cudaMemPoolExportToShareableHandle(int *file, Pool *pool, int type, unsigned flags) {
  (void) flags;
  if (pool == NULL || file == NULL) return done(INVALID_VALUE);
  if (type != AS_FILE) return done(tw_unsupported("cudaMemPoolExportToShareableHandle other than as a file"));
  *file = memfd_create("tilewright-pool", MFD_CLOEXEC);
  bool written = *file >= 0 && pwrite(*file, &pool->number, sizeof pool->number, 0) == sizeof pool->number;
  return done(written ? SUCCESS : INVALID_VALUE);
}

API Error cudaMemPoolImportFromShareableHandle(Pool **pool, void *file, int type, unsigned flags) {
  (void) flags;
  uint64_t number;
  bool known = type == AS_FILE && pread((int) (intptr_t) file, &number, sizeof number, 0) == sizeof number;
  if (!known || pool == NULL) return done(INVALID_VALUE);
  *pool = calloc(1, sizeof **pool);
  (*pool)->number = number;
  return done(SUCCESS);
}

API Error cudaMemPoolExportPointer(Handle *h, void *address) { return done(tw_share(address, h)); }

API Error cudaMemPoolImportPointer(void **address, const Pool *pool, const Handle *h) {
  return done(pool == NULL || h == NULL || h->pool != pool->number ? INVALID_VALUE : tw_open_shared(h, address));
}
