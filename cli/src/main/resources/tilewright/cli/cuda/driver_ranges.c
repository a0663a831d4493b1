// The CUDA driver API: virtual memory management. A range of addresses is mapped from its beginning on, and what is
// accessible of it is one allocation.
#include "driver.h"
#include <stdlib.h>
#include <string.h>

#define GRANULARITY (2ull << 20)
// An allocation holds no more.
#define MOST_ACCESSIBLE ((2ull << 30) - GRANULARITY)
#define READ_AND_WRITE 3

typedef struct Range {
  Place place;
  uint64_t bytes, mapped, accessible;
  struct Range *next;
} Range;

typedef struct { int type, id; } Location;

// CUmemAllocationProp.
typedef struct {
  int type, handle_types;
  Location location;
  void *windows_handle;
  struct { unsigned char compression, direct; unsigned short usage; unsigned char reserved[4]; } flags;
} Properties;

typedef struct { uint64_t bytes; Properties properties; bool mapped, released; } Physical;

typedef struct { Location location; int flags; } Access;

static Range *ranges;

// The range that has all of these addresses.
static Range *range_of(uint64_t address, uint64_t bytes) {
  for (Range *r = ranges; r != NULL; r = r->next) {
    uint64_t offset = address - r->place.address;
    if (offset < r->bytes && bytes <= r->bytes - offset) return r;
  }
  return NULL;
}

static bool on_device(const Location *l) { return l->type == 1 && tw_has_device(l->id); }

API Result cuMemGetAllocationGranularity(size_t *bytes, const Properties *p, int option) {
  (void) option;
  if (bytes == NULL || p == NULL || !on_device(&p->location)) return INVALID_VALUE;
  *bytes = GRANULARITY;
  return SUCCESS;
}

API Result cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted, uint64_t flags) {
  (void) wanted; (void) flags;
  if (address == NULL || bytes == 0 || bytes % GRANULARITY != 0 || bytes > 1ull << 40) return INVALID_VALUE;
  if ((alignment & (alignment - 1)) != 0) return INVALID_VALUE;
  LOCKED;
  Range *r = calloc(1, sizeof *r);
  r->bytes = bytes;
  Result e = tw_reserve(bytes < MOST_ACCESSIBLE ? bytes : MOST_ACCESSIBLE, &r->place);
  if (e != SUCCESS) {
    free(r);
    return e;
  }
  r->next = ranges;
  ranges = r;
  *address = r->place.address;
  return result(SUCCESS);
}

API Result cuMemAddressFree(uint64_t address, size_t bytes) {
  LOCKED;
  for (Range **p = &ranges; *p != NULL; p = &(*p)->next) {
    Range *r = *p;
    if (r->place.address != address || r->bytes != bytes) continue;
    if (r->mapped > 0) return INVALID_VALUE;
    *p = r->next;
    free(r);
    return result(SUCCESS);
  }
  return INVALID_VALUE;
}

API Result cuMemCreate(Physical **handle, size_t bytes, const Properties *p, uint64_t flags) {
  (void) flags;
  if (handle == NULL || p == NULL || bytes == 0 || bytes % GRANULARITY != 0) return INVALID_VALUE;
  if (!on_device(&p->location)) return tw_unsupported("cuMemCreate of memory elsewhere than on the device");
  if (p->handle_types != 0) return tw_unsupported("cuMemCreate of memory for other processes");
  if (bytes > (uint64_t) tw_device()->memory_bytes) return OUT_OF_MEMORY;
  Physical *m = calloc(1, sizeof *m);
  m->bytes = bytes;
  m->properties = *p;
  *handle = m;
  return result(SUCCESS);
}

API Result cuMemGetAllocationPropertiesFromHandle(Properties *p, const Physical *m) {
  if (p == NULL || m == NULL) return INVALID_VALUE;
  *p = m->properties;
  return SUCCESS;
}

// The handle's struct stays: a mapping of it may outlive this.
API Result cuMemRelease(Physical *m) {
  if (m == NULL || m->released) return INVALID_VALUE;
  m->released = true;
  return result(SUCCESS);
}

API Result cuMemMap(uint64_t address, size_t bytes, size_t offset, Physical *m, uint64_t flags) {
  LOCKED;
  Range *r = range_of(address, bytes);
  if (r == NULL || m == NULL || m->released || offset != 0 || bytes != m->bytes || flags != 0) return INVALID_VALUE;
  if (m->mapped) return tw_unsupported("cuMemMap of memory that has been mapped before");
  uint64_t at = address - r->place.address;
  if (at < r->mapped) return INVALID_VALUE;
  if (at > r->mapped) return tw_unsupported("cuMemMap behind addresses of the range that are not mapped");
  m->mapped = true;
  r->mapped += bytes;
  return result(SUCCESS);
}

API Result cuMemSetAccess(uint64_t address, size_t bytes, const Access *descriptors, size_t count) {
  LOCKED;
  Range *r = range_of(address, bytes);
  if (r == NULL || descriptors == NULL || count != 1 || !on_device(&descriptors->location)) return INVALID_VALUE;
  uint64_t begin = address - r->place.address, end = begin + bytes;
  if (end > r->mapped) return INVALID_VALUE;
  if (descriptors->flags != READ_AND_WRITE) return tw_unsupported("cuMemSetAccess for less than reading and writing");
  if (begin > r->accessible) return tw_unsupported("cuMemSetAccess behind addresses that are not accessible");
  if (end <= r->accessible) return result(SUCCESS);
  if (end > MOST_ACCESSIBLE) {
    tw_say("cuMemSetAccess for %llu bytes is refused: the simulator holds less than 2 GiB in one range",
        (unsigned long long) end);
    return OUT_OF_MEMORY;
  }
  Result e = tw_resize(&r->place, end);
  if (e == SUCCESS) r->accessible = end;
  return result(e);
}

API Result cuMemGetAccess(uint64_t *flags, const Location *location, uint64_t address) {
  LOCKED;
  Range *r = range_of(address, 1);
  if (r == NULL || flags == NULL || location == NULL) return INVALID_VALUE;
  *flags = on_device(location) && address - r->place.address < r->accessible ? READ_AND_WRITE : 0;
  return SUCCESS;
}

API Result cuMemUnmap(uint64_t address, size_t bytes) {
  LOCKED;
  Range *r = range_of(address, bytes);
  if (r == NULL || address - r->place.address + bytes > r->mapped) return INVALID_VALUE;
  uint64_t begin = address - r->place.address;
  if (begin + bytes < r->mapped) return tw_unsupported("cuMemUnmap in front of addresses that stay mapped");
  r->mapped = begin;
  if (begin >= r->accessible) return result(SUCCESS);
  r->accessible = begin;
  return result(tw_resize(&r->place, begin));
}
