// Allocations that are nodes of graphs. A node's address is fixed when it is made; each launch allocates there.
#include "protocol.h"

static uint64_t used, most_used, held, most_held;

int tw_memory_of(uint64_t bytes, Work *w) {
  *w = (Work) {MEMORY, .memory = {.bytes = bytes}};
  return tw_reserve(bytes, &w->memory.place);
}

int do_memory(const GraphMemory *m) {
  LOCKED;
  if (m->again && tw_find((void *) m->place.address) != NULL) tw_free((void *) m->place.address);
  int e = tw_allocate_at(&m->place, m->bytes);
  if (e != SUCCESS) return e;
  tw_find((void *) m->place.address)->by_graph = true;
  used += m->bytes;
  if (used > most_used) most_used = used;
  if (used > held) held = used;
  if (held > most_held) most_held = held;
  return SUCCESS;
}

void graph_memory_freed(uint64_t bytes) { used -= bytes; }

static uint64_t *figure(int attribute) {
  static uint64_t *const figures[] = {&used, &most_used, &held, &most_held};
  return attribute < 0 || attribute > 3 ? NULL : figures[attribute];
}

int tw_graph_memory(int attribute, uint64_t *bytes) {
  LOCKED;
  uint64_t *f = figure(attribute);
  if (f == NULL || bytes == NULL) return INVALID_VALUE;
  *bytes = *f;
  return SUCCESS;
}

int tw_graph_memory_reset(int attribute) {
  LOCKED;
  if (attribute != 1 && attribute != 3) return INVALID_VALUE;
  *figure(attribute) = *figure(attribute - 1);
  return SUCCESS;
}

void tw_graph_memory_trim(void) {
  LOCKED;
  held = used;
}
