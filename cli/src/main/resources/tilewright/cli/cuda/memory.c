// Allocations: memory of the device, and of the program that the device may use.
#define _GNU_SOURCE
#include "protocol.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Each allocation begins a window of so many bits for itself.
#define WINDOW_BITS 40

static Allocation **windows;
static uint32_t window_count;
static Allocation *registrations;
static uint32_t managed_count;

bool has_managed(void) { return managed_count > 0; }

void remember(Allocation *a) {
  a->device = tw_current_device();
  uint64_t window = a->address >> WINDOW_BITS;
  if (window >= window_count) {
    uint32_t larger = 2 * window + 256;
    windows = realloc(windows, larger * sizeof *windows);
    memset(windows + window_count, 0, (larger - window_count) * sizeof *windows);
    window_count = larger;
  }
  windows[window] = a;
  managed_count += a->managed || a->shared;
}

void now_shared(Allocation *a) {
  a->shared = a->ours = true;
  managed_count++;
}

Allocation *tw_find(const void *address) {
  LOCKED;
  uint64_t window = (uint64_t) address >> WINDOW_BITS;
  Allocation *a = window < window_count ? windows[window] : NULL;
  if (a == NULL) return NULL;
  return (uint64_t) address - a->address <= a->bytes ? a : NULL;
}

Allocation *tw_adopt(uint64_t address, uint64_t bytes, uint64_t offset, bool managed) {
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {.address = address, .bytes = bytes, .host = region + offset, .managed = managed, .ours = managed};
  remember(a);
  return a;
}

// The first free window that a process may map. Those of programs, libraries and stacks are left out.
static void *map_window(uint64_t offset, uint64_t bytes) {
  for (uint64_t window = 2; window < 126; window++) {
    if (window >= 0x54 && window <= 0x57) continue;
    if (window < window_count && windows[window] != NULL) continue;
    void *wanted = (void *) (window << WINDOW_BITS);
    void *got = mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
        region_file, offset);
    if (got == wanted) return got;
    if (got != MAP_FAILED) munmap(got, bytes);
  }
  return NULL;
}

static int ask_allocation(Allocation *a, uint64_t fixed) {
  Buffer b = request(ALLOCATE);
  append64(&b, fixed);
  append64(&b, a->host - region);
  append64(&b, a->bytes);
  append32(&b, a->managed);
  int status = ask(&b);
  if (status == 0) a->address = take64(&b);
  free(b.bytes);
  return status;
}

int tw_allocate(uint64_t bytes, bool managed, void **address) {
  LOCKED;
  if (address == NULL) return INVALID_VALUE;
  *address = NULL;
  if (bytes == 0) return SUCCESS;
  if (bytes > INT32_MAX - PAGE) {
    tw_say("an allocation of %llu bytes is refused: the simulator holds at most 2 GiB in one",
        (unsigned long long) bytes);
    return OUT_OF_MEMORY;
  }
  if (bytes > (uint64_t) tw_device()->memory_bytes || !region_has(bytes + PAGE)) return OUT_OF_MEMORY;
  uint64_t offset = take_region(bytes);
  uint64_t fixed = 0;
  if (managed) {
    fixed = (uint64_t) map_window(offset, bytes);
    if (fixed == 0) {
      tw_say("no addresses are left for managed or page-locked memory: at most about 120 allocations at a time");
      return OUT_OF_MEMORY;
    }
  }
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {.bytes = bytes, .managed = managed, .ours = managed, .host = region + offset};
  int status = ask_allocation(a, fixed);
  if (status != 0) {
    free(a);
    return status;
  }
  remember(a);
  *address = (void *) a->address;
  return SUCCESS;
}

// Gives the pages of this process's copy back, from an offset on that is zero or begins a page.
static void discard(Allocation *a, uint64_t from) {
  uint64_t begin = (a->host - region + from) / PAGE * PAGE, end = a->host - region + a->bytes;
  if (begin >= end) return;
  fallocate(region_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, (end - begin + PAGE - 1) / PAGE * PAGE);
}

int tw_reserve(uint64_t bytes, Place *place) {
  LOCKED;
  void *address;
  int e = bytes == 0 ? INVALID_VALUE : tw_allocate(bytes, false, &address);
  if (e != SUCCESS) return e;
  Allocation *a = tw_find(address);
  *place = (Place) {.address = a->address, .offset = a->host - region};
  return tw_free(address);
}

int tw_allocate_at(const Place *place, uint64_t bytes) {
  LOCKED;
  if (tw_find((void *) place->address) != NULL) return INVALID_VALUE;
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {.bytes = bytes, .host = region + place->offset};
  int status = ask_allocation(a, place->address);
  if (status == 0) remember(a);
  else free(a);
  return status;
}

static void release(Allocation *a) {
  settle_launches();
  Buffer b = request(FREE);
  append64(&b, a->address);
  tell(&b);
  if (a->managed && a->pages == NULL) munmap((void *) a->address, a->bytes);
  if (a->imported) munmap(a->host, a->bytes);
  else discard(a, 0);
  windows[a->address >> WINDOW_BITS] = NULL;
  if (a->by_graph) graph_memory_freed(a->bytes);
  managed_count -= a->managed || a->shared;
  free(a);
}

int tw_resize(const Place *place, uint64_t bytes) {
  LOCKED;
  Allocation *a = tw_find((void *) place->address);
  if (a == NULL) {
    int e = tw_allocate_at(place, bytes);
    if (e == SUCCESS) tw_find((void *) place->address)->ranged = true;
    return e;
  }
  if (bytes == 0) {
    release(a);
    return SUCCESS;
  }
  settle_launches();
  to_read(a, 0, a->bytes);
  Buffer b = request(FREE);
  append64(&b, a->address);
  tell(&b);
  discard(a, bytes);
  a->bytes = bytes;
  int status = ask_allocation(a, a->address);
  // The simulator has forgotten what it had.
  a->ours = false;
  if (status == 0) written(a, 0, bytes);
  return status;
}

int tw_free(void *address) {
  LOCKED;
  if (address == NULL) return SUCCESS;
  Allocation *a = tw_find(address);
  if (a == NULL || a->address != (uint64_t) address || a->ranged) return INVALID_VALUE;
  release(a);
  return SUCCESS;
}

// The registered memory that a host address lies in.
static Allocation *registered(const void *host) {
  for (Allocation *a = registrations; a != NULL; a = a->next) {
    uint64_t offset = (uint64_t) host - (uint64_t) (a->pages + (uint64_t) a->host % PAGE);
    if (offset < a->bytes) return a;
  }
  return NULL;
}

// Puts a part of the memory file in the place of the pages, with the same contents.
int tw_register(void *host, uint64_t bytes) {
  LOCKED;
  uint64_t lead = (uint64_t) host % PAGE;
  uint64_t room = (lead + bytes + PAGE - 1) / PAGE * PAGE;
  if (bytes == 0 || bytes > INT32_MAX - PAGE || !region_has(room)) return INVALID_VALUE;
  if (registered(host) != NULL) return ALREADY_REGISTERED;
  uint64_t offset = take_region(room);
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {.bytes = bytes, .managed = true, .ours = true, .host = region + offset + lead,
      .pages = (char *) host - lead, .next = registrations};
  memcpy(region + offset, a->pages, room);
  void *got = mmap(a->pages, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, region_file, offset);
  int status = got == MAP_FAILED ? OUT_OF_MEMORY : ask_allocation(a, 0);
  if (status != 0) return status;
  registrations = a;
  remember(a);
  return SUCCESS;
}

int tw_unregister(void *host) {
  LOCKED;
  Allocation *a = registered(host);
  if (a == NULL) return NOT_REGISTERED;
  for (Allocation **p = &registrations; *p != NULL; p = &(*p)->next) {
    if (*p == a) {
      *p = a->next;
      break;
    }
  }
  settle_launches();
  uint64_t lead = (uint64_t) a->host % PAGE;
  uint64_t room = (lead + a->bytes + PAGE - 1) / PAGE * PAGE;
  void *got = mmap(a->pages, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (got == MAP_FAILED) return OUT_OF_MEMORY;
  memcpy(a->pages, a->host - lead, room);
  release(a);
  return SUCCESS;
}

int tw_device_address(void *host, void **device) {
  LOCKED;
  Allocation *a = registered(host);
  if (a == NULL && tw_find(host) == NULL) return INVALID_VALUE;
  *device = host;
  if (a != NULL) *device = (char *) a->address + ((char *) host - a->pages - (uint64_t) a->host % PAGE);
  return SUCCESS;
}
