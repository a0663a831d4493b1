// The device's attributes and limits, and the texts of errors.
#include "protocol.h"
#include <stdlib.h>

#define MOST_DEVICES 16

static __thread int current;
static bool permitted[MOST_DEVICES][MOST_DEVICES];

bool tw_has_device(int device) { return device >= 0 && device < tw_device()->devices; }
int tw_current_device(void) { return current; }

int tw_use_device(int device) {
  if (!tw_has_device(device)) return INVALID_DEVICE;
  current = device;
  return SUCCESS;
}

bool tw_can_access(int device, int peer) { return tw_has_device(device) && tw_has_device(peer) && device != peer; }

int tw_permit(int peer, bool value) {
  if (!tw_can_access(current, peer)) return INVALID_DEVICE;
  LOCKED;
  if (permitted[current][peer] == value) return value ? PEER_ALREADY_ENABLED : PEER_NOT_ENABLED;
  permitted[current][peer] = value;
  return SUCCESS;
}

int tw_attribute(int attribute, int *value) {
  const Device *d = tw_device();
  switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = INT32_MAX; break;
    case 6: case 7: *value = 65535; break;
    case 8: *value = d->shared_per_block; break;
    case 9: *value = 65536; break;
    case 10: *value = 32; break;
    case 11: *value = INT32_MAX; break;
    case 12: case 82: *value = 65536; break;
    case 13: *value = d->clock_khz; break;
    case 14: case 30: *value = 512; break;
    case 16: *value = d->multiprocessors; break;
    case 36: *value = d->memory_clock_khz; break;
    case 37: *value = d->bus_width; break;
    case 38: *value = d->l2_bytes; break;
    case 39: *value = 32 * d->warps_per_sm; break;
    case 40: *value = 3; break;
    case 51: *value = 32; break;
    case 75: *value = d->capability / 10; break;
    case 76: *value = d->capability % 10; break;
    case 81: *value = d->shared_per_sm; break;
    case 97: *value = d->shared_optin; break;
    case 106: *value = d->blocks_per_sm; break;
    case 108: *value = d->l2_bytes * 3 / 4; break;
    case 109: *value = 128 << 20; break;
    case 111: *value = 1024; break;
    case 15: case 19: case 31: case 32: case 33: case 41: case 78: case 79: case 80: case 83: case 90: case 95: case 99:
    case 102: case 107: case 115: case 119: case 125: *value = 1; break;
    case 120: *value = d->capability >= 90; break;
    default:
      if (attribute < 1 || attribute > 147) return INVALID_VALUE;
      *value = 0;
  }
  return SUCCESS;
}

// By cudaLimit: stack, printf buffer, heap, depth of launches and their number, granularity of fetches.
#define HEAP 2
#define PERSISTING_L2 6
static size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128};

int tw_limit(int limit, size_t *value) {
  if (limit < 0 || limit > PERSISTING_L2) return INVALID_VALUE;
  *value = limit == PERSISTING_L2 ? (size_t) tw_device()->l2_bytes * 3 / 4 : limits[limit];
  return SUCCESS;
}

// Only the heap's size is of any consequence here.
int tw_set_limit(int limit, size_t value) {
  LOCKED;
  if (limit < 0 || limit > PERSISTING_L2) return INVALID_VALUE;
  if (limit < PERSISTING_L2) limits[limit] = value;
  if (limit == HEAP) {
    settle_launches();
    Buffer b = request(HEAP_LIMIT);
    append64(&b, value);
    tell(&b);
  }
  return SUCCESS;
}

static const struct { int code; const char *name, *text; } errors[] = {
#define ERROR(code, name, text) {code, name, text},
#include "errors.h"
#undef ERROR
};

static int error_index(int e) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) if (errors[i].code == e) return i;
  return -1;
}

const char *tw_error_name(int e) {
  int i = error_index(e);
  return i < 0 ? NULL : errors[i].name;
}

const char *tw_error_text(int e) {
  int i = error_index(e);
  return i < 0 ? NULL : errors[i].text;
}
