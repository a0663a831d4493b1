// Allocations that are nodes of graphs. A node's address is fixed when it is made; each launch allocates there.
#include "protocol.h"

// Bytes of allocations that are there, of those that were there at one time since the last trim, and the most of these.
static uint64_t used, held, most;

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
  if (used > held) held = used;
  if (held > most) most = held;
  return SUCCESS;
}

void graph_memory_freed(uint64_t bytes) { used -= bytes; }

// 0 and 2: memory that belongs to graphs, 1 and 3: the most of it.
int tw_graph_memory(int attribute, uint64_t *bytes) {
  LOCKED;
  if (attribute < 0 || attribute > 3 || bytes == NULL) return INVALID_VALUE;
  *bytes = attribute % 2 == 0 ? held : most;
  return SUCCESS;
}

int tw_graph_memory_reset(int attribute) {
  LOCKED;
  if (attribute != 1 && attribute != 3) return INVALID_VALUE;
  most = held;
  return SUCCESS;
}

void tw_graph_memory_trim(void) {
  LOCKED;
  held = used;
}
