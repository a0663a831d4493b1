// Modules, their kernels and variables, and launches.
#include "protocol.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAT_BINARY 0xBA55ED50u
#define FAT_WRAPPER 0x466243B1u
#define ELF 0x464C457Fu

struct Module {
  const void *image;
  uint32_t id;
  int loaded;       // 0: not yet, 1: yes, otherwise the negative error
  Kernel *kernels;  // those that were asked for by name
  Module *next;
};

static Module *modules;

Module *tw_module(const void *image) {
  LOCKED;
  for (Module *m = modules; m != NULL; m = m->next) if (m->image == image) return m;
  Module *m = calloc(1, sizeof *m);
  m->image = image;
  m->next = modules;
  modules = m;
  return m;
}

static uint32_t magic(const void *image) {
  uint32_t v;
  memcpy(&v, image, 4);
  return v;
}

// The bytes of an image: a fat binary tells its size, of machine code the header is enough, PTX ends with a null.
static uint64_t image_bytes(const void *image) {
  if (magic(image) == ELF) return 64;
  if (magic(image) != FAT_BINARY) return strlen(image);
  uint16_t header;
  uint64_t rest;
  memcpy(&header, (char *) image + 6, 2);
  memcpy(&rest, (char *) image + 8, 8);
  return header + rest;
}

static int load(Module *m) {
  if (m->loaded == 0) {
    Buffer b = request(MODULE);
    append(&b, m->image, image_bytes(m->image));
    int status = ask(&b);
    if (status == 0) m->id = take32(&b);
    m->loaded = status == 0 ? 1 : -status;
    free(b.bytes);
  }
  return m->loaded == 1 ? SUCCESS : -m->loaded;
}

int tw_load(const void *image, Module **module) {
  LOCKED;
  if (image == NULL || module == NULL) return INVALID_VALUE;
  // {int magic, int version, const void *image, void *file}
  if (magic(image) == FAT_WRAPPER) memcpy(&image, (char *) image + 8, sizeof image);
  Module *m = calloc(1, sizeof *m);
  m->image = image;
  int e = load(m);
  // The image may be gone after this call.
  m->image = NULL;
  if (e == SUCCESS) *module = m;
  else free(m);
  return e;
}

int tw_load_file(const char *path, Module **module) {
  FILE *f = path == NULL ? NULL : fopen(path, "rb");
  if (f == NULL) return FILE_NOT_FOUND;
  fseek(f, 0, SEEK_END);
  long bytes = ftell(f);
  rewind(f);
  char *image = calloc(1, bytes + 8);
  int e = fread(image, 1, bytes, f) == (size_t) bytes ? tw_load(image, module) : FILE_NOT_FOUND;
  fclose(f);
  free(image);
  return e;
}

int tw_kernel(Kernel *k) {
  LOCKED;
  if (k->loaded == 0) {
    int status = load(k->module);
    if (status == 0) {
      Buffer b = request(KERNEL);
      append32(&b, k->module->id);
      append_text(&b, k->name);
      status = ask(&b);
      if (status == 0) {
        k->id = take32(&b);
        k->static_shared = take32(&b);
        k->local_bytes = take32(&b);
        k->most_threads = take32(&b);
        k->parameter_bytes = take32(&b);
        k->parameters = take32(&b);
        k->parameter = calloc(k->parameters + 1, sizeof *k->parameter);
        for (uint32_t i = 0; i < k->parameters; i++) k->parameter[i] = (Parameter) {take32(&b), take32(&b)};
      }
      free(b.bytes);
    }
    k->dynamic_limit = (int) (tw_device()->shared_per_block - k->static_shared);
    k->loaded = status == 0 ? 1 : -status;
  }
  return k->loaded == 1 ? SUCCESS : -k->loaded;
}

int tw_kernel_named(Module *m, const char *name, Kernel **kernel) {
  LOCKED;
  if (m == NULL || name == NULL || kernel == NULL) return INVALID_VALUE;
  for (Kernel *k = m->kernels; k != NULL; k = k->next) {
    if (strcmp(k->name, name) != 0) continue;
    *kernel = k;
    return SUCCESS;
  }
  Kernel *k = calloc(1, sizeof *k);
  *k = (Kernel) {.module = m, .name = strdup(name), .next = m->kernels};
  int e = tw_kernel(k);
  if (e != SUCCESS) {
    free((void *) k->name);
    free(k);
    return e;
  }
  *kernel = m->kernels = k;
  return SUCCESS;
}

static int variable(Module *m, const char *name, bool managed, Allocation **a) {
  int status = load(m);
  if (status != 0) return status;
  uint64_t offset = take_region(0);
  Buffer b = request(VARIABLE);
  append32(&b, m->id);
  append_text(&b, name);
  append64(&b, offset);
  append32(&b, managed);
  status = ask(&b);
  if (status == 0) {
    uint64_t address = take64(&b);
    uint64_t size = take64(&b);
    *a = tw_find((void *) address);
    if (*a == NULL) *a = tw_adopt(address, size, take_region(size), managed);
  }
  free(b.bytes);
  return status;
}

int tw_variable(Module *m, const char *name, void **address, size_t *bytes) {
  LOCKED;
  if (m == NULL || name == NULL) return INVALID_VALUE;
  Allocation *a;
  int status = variable(m, name, false, &a);
  if (status != 0) return status;
  if (address != NULL) *address = (void *) a->address;
  if (bytes != NULL) *bytes = a->bytes;
  return SUCCESS;
}

int tw_managed_variable(Module *m, const char *name, void **host) {
  LOCKED;
  Allocation *a;
  int status = variable(m, name, true, &a);
  if (status == 0) *host = a->host;
  return status;
}

int tw_pack(Kernel *k, void **arguments, char **packed) {
  if (arguments == NULL && k->parameters > 0) return INVALID_VALUE;
  *packed = calloc(1, k->parameter_bytes + 1);
  for (uint32_t i = 0; i < k->parameters; i++) {
    memcpy(*packed + k->parameter[i].offset, arguments[i], k->parameter[i].bytes);
  }
  return SUCCESS;
}

int tw_pack_bytes(Kernel *k, const void *bytes, size_t count, char **packed) {
  if (count < k->parameter_bytes) return INVALID_VALUE;
  *packed = calloc(1, k->parameter_bytes + 1);
  memcpy(*packed, bytes, k->parameter_bytes);
  return SUCCESS;
}

int tw_check(const Launch *l) {
  const Kernel *k = l->kernel;
  uint64_t threads = (uint64_t) l->block.x * l->block.y * l->block.z;
  bool empty = threads == 0 || l->grid.x == 0 || l->grid.y == 0 || l->grid.z == 0;
  if (empty || threads > 1024 || l->block.z > 64 || l->grid.y > 65535 || l->grid.z > 65535) {
    return INVALID_CONFIGURATION;
  }
  if (k->most_threads && threads > k->most_threads) return INVALID_VALUE;
  if (l->shared <= (uint64_t) k->dynamic_limit
      && k->static_shared + l->shared <= (uint64_t) tw_device()->shared_optin) return SUCCESS;
  tw_say("launch of %s: %llu bytes of dynamic shared memory, but it has at most %d (see cudaFuncSetAttribute)", k->name,
      (unsigned long long) l->shared, k->dynamic_limit);
  return INVALID_VALUE;
}

int tw_launch(const Launch *l) {
  LOCKED;
  if (tw_sticky()) return tw_sticky();
  Buffer b = request(LAUNCH_KERNEL);
  append32(&b, l->kernel->id);
  append(&b, &l->grid, sizeof l->grid);
  append(&b, &l->block, sizeof l->block);
  append(&b, &l->cluster, sizeof l->cluster);
  append32(&b, (uint32_t) l->shared);
  append32(&b, l->cooperative);
  append32(&b, l->kernel->parameter_bytes);
  append(&b, l->parameters, l->kernel->parameter_bytes);
  post_launch(&b);
  // The simulator's copy is written back at the end of the kernel: what the program wrote meanwhile would be lost.
  if (has_managed()) settle_launches();
  return SUCCESS;
}

int tw_occupancy(Kernel *k, int threads, size_t shared) {
  const Device *d = tw_device();
  int64_t warps = (threads + 31) / 32, most = d->warps_per_sm / warps;
  int64_t by_shared = d->shared_per_sm / (int64_t) (k->static_shared + shared + 1024);
  int64_t by_registers = 65536 / (REGISTERS * 32 * warps);
  if (by_shared < most) most = by_shared;
  if (by_registers < most) most = by_registers;
  if (d->blocks_per_sm < most) most = d->blocks_per_sm;
  return threads > 1024 ? 0 : (int) most;
}

int tw_set_dynamic_limit(Kernel *k, int bytes) {
  if (bytes < 0 || bytes + (int64_t) k->static_shared > tw_device()->shared_optin) return INVALID_VALUE;
  k->dynamic_limit = bytes;
  return SUCCESS;
}

// The simulator checks the values.
int tw_encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle,
    int promotion, int fill_mode) {
  if (map == NULL || rank < 1 || rank > 5) return INVALID_VALUE;
  if (extents == NULL || box == NULL || element_strides == NULL) return INVALID_VALUE;
  int64_t words[7 + 4 * 5] = {type, rank, (int64_t) address, interleave, swizzle, promotion, fill_mode};
  for (uint32_t i = 0; i < rank; i++) {
    words[7 + i] = (int64_t) extents[i];
    words[12 + i] = i + 1 < rank ? (int64_t) strides[i] : 0;
    words[17 + i] = box[i];
    words[22 + i] = element_strides[i];
  }
  LOCKED;
  Buffer b = request(ENCODE);
  append(&b, words, sizeof words);
  int status = ask(&b);
  if (status == 0) memcpy(map, b.bytes, 128);
  free(b.bytes);
  return status;
}
