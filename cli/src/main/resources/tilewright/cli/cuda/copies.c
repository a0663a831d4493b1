// Copies between allocations and the program.
#include "protocol.h"
#include <stdlib.h>
#include <string.h>

// The most that is fetched at a time: the next part is fetched while this one is copied.
#define PART (4ull << 20)

static void tell_range(uint32_t operation, Allocation *a, uint64_t offset, uint64_t bytes) {
  Buffer b = request(operation);
  append64(&b, a->address);
  append64(&b, offset);
  append64(&b, bytes);
  tell(&b);
}

static uint64_t part_of(uint64_t bytes) { return bytes < PART ? bytes : PART; }

// Makes this process's copy of a range current, and copies it to a place outside unless that is null.
static void fetch(Allocation *a, uint64_t offset, uint64_t bytes, char *to) {
  settle_launches();
  tell_range(FETCH, a, offset, part_of(bytes));
  for (uint64_t at = 0; at < bytes; at += PART) {
    Buffer b;
    answer(&b);
    free(b.bytes);
    if (at + PART < bytes) tell_range(FETCH, a, offset + at + PART, part_of(bytes - at - PART));
    if (to != NULL) memcpy(to + at, a->host + offset + at, part_of(bytes - at));
  }
  a->fetched = a->fetched || (offset == 0 && bytes == a->bytes);
}

char *to_read(Allocation *a, uint64_t offset, uint64_t bytes) {
  if (!a->ours && !a->fetched) fetch(a, offset, bytes, NULL);
  return a->host + offset;
}

void written(Allocation *a, uint64_t offset, uint64_t bytes) {
  if (a->ours) return;
  if (offset == 0 && bytes == a->bytes) {
    tell_range(RELEASE, a, 0, bytes);
    a->ours = true;
  } else {
    tell_range(STORE, a, offset, bytes);
  }
}

static bool fits(Allocation *a, const void *address, size_t bytes) {
  return (uint64_t) address - a->address + bytes <= a->bytes;
}

// Addresses that no process can have and that no allocation has.
static bool is_foreign(const void *address) { return (uint64_t) address >> 48 != 0; }

int tw_copy(void *to, const void *from, size_t bytes) {
  LOCKED;
  if (bytes == 0) return SUCCESS;
  settle_launches();
  if (tw_sticky()) return tw_sticky();
  Allocation *target = tw_find(to), *source = tw_find(from);
  if (target == NULL && is_foreign(to)) return INVALID_VALUE;
  if (source == NULL && is_foreign(from)) return INVALID_VALUE;
  if (to == NULL || from == NULL) return INVALID_VALUE;
  if (target != NULL && !fits(target, to, bytes)) return INVALID_VALUE;
  if (source != NULL && !fits(source, from, bytes)) return INVALID_VALUE;
  uint64_t to_offset = target ? (uint64_t) to - target->address : 0;
  uint64_t from_offset = source ? (uint64_t) from - source->address : 0;
  if (target == NULL && source != NULL && !source->ours && !source->fetched) {
    fetch(source, from_offset, bytes, to);
  } else {
    const char *read = source ? to_read(source, from_offset, bytes) : from;
    memmove(target ? target->host + to_offset : to, read, bytes);
  }
  if (target != NULL) written(target, to_offset, bytes);
  // As fast as PCIe 5.0 with 16 lanes, or HBM.
  pass_time(1000 + bytes / (target && source ? 1500 : 55));
  return SUCCESS;
}

int tw_fill(void *to, unsigned value, size_t width, size_t count) {
  LOCKED;
  settle_launches();
  if (tw_sticky()) return tw_sticky();
  Allocation *target = tw_find(to);
  if (target == NULL || !fits(target, to, width * count)) return INVALID_VALUE;
  uint64_t offset = (uint64_t) to - target->address;
  char *at = target->host + offset;
  if (width == 1) {
    memset(at, (int) value, count);
  } else {
    for (size_t i = 0; i < count; i++) memcpy(at + i * width, &value, width);
  }
  if (width * count > 0) written(target, offset, width * count);
  pass_time(1000 + width * count / 1500);
  return SUCCESS;
}
