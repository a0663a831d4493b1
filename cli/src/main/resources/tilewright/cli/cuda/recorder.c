// Records the launches of a CUDA program on a real GPU: their code, arguments, and memory before and after.
//
//   cc -shared -fPIC -O2 -o librecorder.so recorder.c -ldl -lpthread
//   TILEWRIGHT_RECORD=folder [TILEWRIGHT_ONLY=name] [TILEWRIGHT_MOST=100] LD_PRELOAD=$PWD/librecorder.so ./program
//
// The program has the shared CUDA runtime (nvcc -cudart shared), or the driver API. Each launch is waited for, and its
// memory is copied.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
#define FAT_BINARY 0xBA55ED50u
#define FAT_BINARY_WRAPPER 0x466243B1u
#define ELF 0x464C457Fu
enum { MOST_PARAMETERS = 4096, MAP_BYTES = 128, MAP_WORDS = 27 };

typedef int Error;
typedef struct { unsigned x, y, z; } Dim;
typedef struct Allocation { char *address; size_t bytes; struct Allocation *next; } Allocation;
typedef struct Map { char bytes[MAP_BYTES]; int64_t words[MAP_WORDS]; struct Map *next; } Map;
// An image that the program loads; owner is the runtime's handle, or the driver's module or library.
typedef struct Image { const void *owner; int number; struct Image *next; } Image;
// A kernel that can be launched: known is what the program launches. The driver's function of the name in telling knows
// the parameters of a handle; a function of the host has none.
typedef struct Kernel {
  const void *known;
  const char *name, *telling;
  int image;
  struct Kernel *next;
} Kernel;
// A variable; the address of one that a function of the host stands for is asked for when it is needed.
typedef struct Variable {
  const void *host;
  void *address;
  const char *name;
  size_t bytes;
  int image;
  struct Variable *next;
} Variable;

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static Allocation *allocations;
static Map *maps;
static Image *images;
static Kernel *kernels;
static Variable *variables;
static int launches;

static void say(const char *text, const char *name) { fprintf(stderr, "tilewright: %s%s\n", text, name); }

// The runtime's own function of that name.
static void *own(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    say("the CUDA runtime lacks ", name);
    _exit(3);
  }
  return found;
}
#define OWN(result, name, ...) ((result (*)(__VA_ARGS__)) own(name))

// The driver's own function of that name, or NULL.
static void *of_driver(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == NULL ? NULL : dlsym(driver, name);
}

static void *required(const char *name) {
  void *found = of_driver(name);
  if (found == NULL) {
    say("the driver lacks ", name);
    _exit(3);
  }
  return found;
}
#define DRIVER(name, ...) ((Error (*)(__VA_ARGS__)) required(name))

static const char *folder(void) { return getenv("TILEWRIGHT_RECORD"); }

static FILE *file(const char *path, const char *mode) {
  FILE *f = fopen(path, mode);
  if (f == NULL) {
    say("cannot write ", path);
    _exit(3);
  }
  return f;
}

static void save(const char *path, const void *bytes, size_t n) {
  FILE *f = file(path, "wb");
  if (fwrite(bytes, 1, n, f) != n) say("cannot write all of ", path);
  fclose(f);
}

// ---- What the program loads ----

static size_t bytes_of(const char *image) {
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  if (magic == FAT_BINARY) {
    uint16_t header;
    uint64_t content;
    memcpy(&header, image + 6, sizeof header);
    memcpy(&content, image + 8, sizeof content);
    return header + content;
  }
  if (magic != ELF) return strlen(image);
  uint64_t sections;
  uint16_t each, count;
  memcpy(&sections, image + 40, sizeof sections);
  memcpy(&each, image + 58, sizeof each);
  memcpy(&count, image + 60, sizeof count);
  return sections + (size_t) each * count;
}

static void loaded(const void *owner, const char *image) {
  if (folder() == NULL) return;
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  if (magic == FAT_BINARY_WRAPPER) memcpy(&image, image + 8, sizeof image);
  pthread_mutex_lock(&mutex);
  int number = images == NULL ? 0 : images->number + 1;
  mkdir(folder(), 0777);
  char path[4096];
  snprintf(path, sizeof path, "%s/image%d", folder(), number);
  save(path, image, bytes_of(image));
  Image *i = calloc(1, sizeof *i);
  *i = (Image) {owner, number, images};
  images = i;
  pthread_mutex_unlock(&mutex);
}

static int image_of(const void *owner) {
  for (Image *i = images; i != NULL; i = i->next) if (i->owner == owner) return i->number;
  return -1;
}

static void has_kernel(int image, const void *known, const char *name, const char *telling) {
  pthread_mutex_lock(&mutex);
  Kernel *k = calloc(1, sizeof *k);
  *k = (Kernel) {known, strdup(name), telling, image, kernels};
  kernels = k;
  pthread_mutex_unlock(&mutex);
}

static void has_variable(int image, const void *host, void *address, const char *name, size_t bytes) {
  pthread_mutex_lock(&mutex);
  Variable *v = calloc(1, sizeof *v);
  *v = (Variable) {host, address, strdup(name), bytes, image, variables};
  variables = v;
  pthread_mutex_unlock(&mutex);
}

static Kernel *kernel(const void *known) {
  Kernel *k = kernels;
  while (k != NULL && k->known != known) k = k->next;
  return k;
}

// ---- Memory ----

static Error allocated(Error e, void **p, size_t bytes) {
  if (e != 0 || bytes == 0) return e;
  pthread_mutex_lock(&mutex);
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {*p, bytes, allocations};
  allocations = a;
  pthread_mutex_unlock(&mutex);
  return e;
}

static void forget(void *p) {
  pthread_mutex_lock(&mutex);
  for (Allocation **a = &allocations; *a != NULL; a = &(*a)->next) {
    if ((*a)->address != p) continue;
    Allocation *gone = *a;
    *a = gone->next;
    free(gone);
    break;
  }
  pthread_mutex_unlock(&mutex);
}

// ---- Tensor maps ----

static Error encoded(Error e, void *map, int type, unsigned rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill) {
  if (e != 0) return e;
  Map *m = calloc(1, sizeof *m);
  memcpy(m->bytes, map, MAP_BYTES);
  int64_t head[] = {type, rank, (int64_t) address, interleave, swizzle, promotion, fill};
  memcpy(m->words, head, sizeof head);
  for (unsigned i = 0; i < rank; i++) {
    m->words[7 + i] = (int64_t) extents[i];
    m->words[12 + i] = i + 1 < rank ? (int64_t) strides[i] : 0;
    m->words[17 + i] = box[i];
    m->words[22 + i] = steps[i];
  }
  pthread_mutex_lock(&mutex);
  m->next = maps;
  maps = m;
  pthread_mutex_unlock(&mutex);
  return e;
}

// ---- Launches ----

static void hex(FILE *f, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) fprintf(f, "%02x", ((const unsigned char *) bytes)[i]);
  fputc('\n', f);
}

// A copy of an allocation, or of a variable, in a file of the launch.
static void copy(const char *launch, const char *name, const char *when, const void *from, size_t bytes) {
  char path[8192];
  snprintf(path, sizeof path, "%s/%s.%s", launch, name, when);
  void *host = malloc(bytes + 1);
  Error e = DRIVER("cuMemcpy", void *, const void *, size_t)(host, from, bytes);
  if (e != 0) say("memory cannot be copied for ", path);
  save(path, host, bytes);
  free(host);
}

// The allocations that words of the parameters point into, and those of tensor maps.
static void copy_memory(FILE *text, const char *launch, const char *when, const char *parameters, size_t bytes) {
  for (Allocation *a = allocations; a != NULL; a = a->next) {
    int used = 0;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
      char *word;
      memcpy(&word, parameters + i, 8);
      used |= word >= a->address && word < a->address + a->bytes;
    }
    for (Map *m = maps; m != NULL; m = m->next) {
      char *word = (char *) (intptr_t) m->words[2];
      used |= word >= a->address && word < a->address + a->bytes;
    }
    if (!used) continue;
    char name[32];
    snprintf(name, sizeof name, "%llx", (unsigned long long) (uintptr_t) a->address);
    copy(launch, name, when, a->address, a->bytes);
    if (text != NULL) fprintf(text, "allocation %s %zu\n", name, a->bytes);
  }
}

typedef struct { const char *launch; char *parameters; size_t bytes; } Begun;

// How a kernel is launched; arguments are pointers to each, or NULL where packed holds them side by side.
typedef struct {
  Dim grid, block, cluster;
  size_t shared;
  int cooperative;
  void *stream;
  void **arguments;
  const char *packed;
} How;

// Writes a launch before it runs; returns whether it is recorded.
static int begin(Begun *b, const Kernel *k, void *function, How how) {
  const char *only = getenv("TILEWRIGHT_ONLY"), *most = getenv("TILEWRIGHT_MOST");
  if (folder() == NULL || k == NULL || (only != NULL && strstr(k->name, only) == NULL)) return 0;
  if (launches >= (most == NULL ? 100 : atoi(most))) return 0;
  // A launch that a graph captures does not run now.
  int capturing = 0;
  DRIVER("cuStreamIsCapturing", void *, int *)(how.stream, &capturing);
  if (capturing != 0) return 0;
  DRIVER("cuCtxSynchronize", void)();
  typedef Error (*Info)(void *, size_t, size_t *, size_t *);
  Info info = (Info) of_driver(k->telling != NULL ? k->telling : "cuFuncGetParamInfo");
  if (function == NULL || info == NULL) {
    say("not recorded, as the driver is older than CUDA 12.4: ", k->name);
    return 0;
  }
  static char path[4096];
  snprintf(path, sizeof path, "%s/launch%06d", folder(), ++launches);
  mkdir(path, 0777);
  char name[8192];
  snprintf(name, sizeof name, "%s/launch.txt", path);
  FILE *f = file(name, "w");
  fprintf(f, "entry %s\nimage %d\ngrid %u %u %u\nblock %u %u %u\ncluster %u %u %u\n", k->name, k->image, how.grid.x,
      how.grid.y, how.grid.z, how.block.x, how.block.y, how.block.z, how.cluster.x, how.cluster.y, how.cluster.z);
  fprintf(f, "shared %zu\ncooperative %d\n", how.shared, how.cooperative);
  *b = (Begun) {path, calloc(1, MOST_PARAMETERS), 0};
  size_t offset, bytes;
  for (size_t i = 0; info(function, i, &offset, &bytes) == 0 && offset + bytes <= MOST_PARAMETERS; i++) {
    const void *argument = how.arguments != NULL ? how.arguments[i] : how.packed + offset;
    memcpy(b->parameters + offset, argument, bytes);
    if (offset + bytes > b->bytes) b->bytes = offset + bytes;
    fprintf(f, "parameter %zu ", bytes);
    hex(f, argument, bytes);
  }
  for (Map *m = maps; m != NULL; m = m->next) {
    fputs("map ", f);
    for (int i = 0; i < MAP_WORDS; i++) fprintf(f, "%lld ", (long long) m->words[i]);
    hex(f, m->bytes, MAP_BYTES);
  }
  for (Variable *v = variables; v != NULL; v = v->next) {
    void *address = v->address;
    if (v->image != k->image) continue;
    if (address == NULL && OWN(Error, "cudaGetSymbolAddress", void **, const void *)(&address, v->host)) continue;
    copy(path, v->name, "value", address, v->bytes);
    fprintf(f, "variable %s %zu\n", v->name, v->bytes);
  }
  copy_memory(f, path, "before", b->parameters, b->bytes);
  fclose(f);
  return 1;
}

static Error end(Begun *b, int recorded, Error e) {
  if (!recorded) return e;
  Error ran = DRIVER("cuCtxSynchronize", void)();
  if (e != 0 || ran != 0) say("failed, and has no results: ", b->launch);
  else copy_memory(NULL, b->launch, "after", b->parameters, b->bytes);
  free(b->parameters);
  return e;
}

#define ONE ((Dim) {1, 1, 1})
#define RECORDED(kernel, function, how, call) do { \
    pthread_mutex_lock(&mutex); \
    Begun b_; \
    int recorded_ = begin(&b_, kernel, function, how); \
    Error e_ = end(&b_, recorded_, call); \
    pthread_mutex_unlock(&mutex); \
    return e_; \
  } while (0)

typedef struct { int id; char pad[4]; union { char bytes[64]; int value; Dim cluster; } value; } LaunchAttribute;

static How with_attributes(How how, const LaunchAttribute *attributes, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (attributes[i].id == 2) how.cooperative = attributes[i].value.value != 0;
    if (attributes[i].id == 4) how.cluster = attributes[i].value.cluster;
  }
  return how;
}
