// Records the launches of a CUDA program on a real GPU: their code, arguments, and memory before and after.
//
//   cc -shared -fPIC -O2 -o librecorder.so recorder.c -ldl -lpthread
//   TILEWRIGHT_RECORD=folder [TILEWRIGHT_ONLY=name] [TILEWRIGHT_MOST=100] LD_PRELOAD=$PWD/librecorder.so ./program
//
// The program has the shared CUDA runtime (nvcc -cudart shared). Each launch is waited for, and its memory is copied.
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
enum { MOST_PARAMETERS = 4096, TO_HOST = 2, MAP_BYTES = 128, MAP_WORDS = 27 };

typedef int Error;
typedef struct { unsigned x, y, z; } Dim;
typedef struct Allocation { char *address; size_t bytes; struct Allocation *next; } Allocation;
typedef struct Kernel { const void *host; const char *name; int image; struct Kernel *next; } Kernel;
typedef struct Variable {
  const void *host;
  const char *name;
  size_t bytes;
  int image;
  struct Variable *next;
} Variable;
typedef struct Map { char bytes[MAP_BYTES]; int64_t words[MAP_WORDS]; struct Map *next; } Map;
typedef struct Handle { void **handle; int image; struct Handle *next; } Handle;

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static Allocation *allocations;
static Kernel *kernels;
static Variable *variables;
static Map *maps;
static Handle *handles;
static int images, launches;

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

// ---- What the program registers ----

API void **__cudaRegisterFatBinary(const void *wrapper) {
  void **handle = OWN(void **, "__cudaRegisterFatBinary", const void *)(wrapper);
  if (folder() == NULL) return handle;
  const char *image;
  memcpy(&image, (const char *) wrapper + 8, sizeof image);
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  uint16_t header;
  uint64_t bytes = 0;
  memcpy(&header, image + 6, sizeof header);
  memcpy(&bytes, image + 8, sizeof bytes);
  bytes = magic == FAT_BINARY ? header + bytes : strlen(image);
  mkdir(folder(), 0777);
  char path[4096];
  snprintf(path, sizeof path, "%s/image%d", folder(), images);
  save(path, image, bytes);
  Handle *h = calloc(1, sizeof *h);
  *h = (Handle) {handle, images++, handles};
  handles = h;
  return handle;
}

static int image_of(void **handle) {
  for (Handle *h = handles; h != NULL; h = h->next) if (h->handle == handle) return h->image;
  return -1;
}

API void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit, void *tid,
    void *bid, void *block, void *grid, int *warp) {
  OWN(void, "__cudaRegisterFunction", void **, const void *, char *, const char *, int, void *, void *, void *, void *,
      int *)(handle, host, device, name, limit, tid, bid, block, grid, warp);
  Kernel *k = calloc(1, sizeof *k);
  *k = (Kernel) {host, name, image_of(handle), kernels};
  kernels = k;
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
    int constant, int global) {
  OWN(void, "__cudaRegisterVar", void **, char *, char *, const char *, int, size_t, int, int)(handle, host, device,
      name, external, bytes, constant, global);
  Variable *v = calloc(1, sizeof *v);
  *v = (Variable) {host, name, bytes, image_of(handle), variables};
  variables = v;
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

API Error cudaMalloc(void **p, size_t n) { return allocated(OWN(Error, "cudaMalloc", void **, size_t)(p, n), p, n); }
API Error cudaMallocManaged(void **p, size_t n, unsigned flags) {
  return allocated(OWN(Error, "cudaMallocManaged", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cudaMallocAsync(void **p, size_t n, void *stream) {
  return allocated(OWN(Error, "cudaMallocAsync", void **, size_t, void *)(p, n, stream), p, n);
}
API Error cudaMallocHost(void **p, size_t n) {
  return allocated(OWN(Error, "cudaMallocHost", void **, size_t)(p, n), p, n);
}
API Error cudaHostAlloc(void **p, size_t n, unsigned flags) {
  return allocated(OWN(Error, "cudaHostAlloc", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  Error e = OWN(Error, "cudaMallocPitch", void **, size_t *, size_t, size_t)(p, pitch, width, height);
  return allocated(e, p, e == 0 ? *pitch * height : 0);
}
API Error cudaFree(void *p) { forget(p); return OWN(Error, "cudaFree", void *)(p); }
API Error cudaFreeHost(void *p) { forget(p); return OWN(Error, "cudaFreeHost", void *)(p); }
API Error cudaFreeAsync(void *p, void *stream) {
  forget(p);
  return OWN(Error, "cudaFreeAsync", void *, void *)(p, stream);
}

// ---- Tensor maps ----

static Error (*encode)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,
    const uint32_t *, int, int, int, int);

static Error encode_tiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill) {
  Error e = encode(map, type, rank, address, extents, strides, box, steps, interleave, swizzle, promotion, fill);
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

static Error replaced(Error e, const char *name, void **function) {
  if (e != 0 || *function == NULL || strcmp(name, "cuTensorMapEncodeTiled") != 0) return e;
  encode = *function;
  *function = encode_tiled;
  return e;
}

API Error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status) {
  return replaced(OWN(Error, "cudaGetDriverEntryPoint", const char *, void **, uint64_t, int *)(name, function, flags,
      status), name, function);
}
API Error cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags,
    int *status) {
  return replaced(OWN(Error, "cudaGetDriverEntryPointByVersion", const char *, void **, unsigned, uint64_t, int *)(name,
      function, version, flags, status), name, function);
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
  Error e = OWN(Error, "cudaMemcpy", void *, const void *, size_t, int)(host, from, bytes, TO_HOST);
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

// Writes a launch before it runs; returns whether it is recorded.
static int begin(Begun *b, const void *host, Dim grid, Dim block, Dim cluster, size_t shared, int cooperative,
    void **arguments, void *stream) {
  Kernel *k = kernels;
  while (k != NULL && k->host != host) k = k->next;
  const char *only = getenv("TILEWRIGHT_ONLY"), *most = getenv("TILEWRIGHT_MOST");
  if (folder() == NULL || k == NULL || (only != NULL && strstr(k->name, only) == NULL)) return 0;
  if (launches >= (most == NULL ? 100 : atoi(most))) return 0;
  // A launch that a graph captures does not run now.
  int capturing = 0;
  OWN(Error, "cudaStreamIsCapturing", void *, int *)(stream, &capturing);
  if (capturing != 0) return 0;
  OWN(Error, "cudaDeviceSynchronize", void)();
  void *function = NULL;
  Error (*info)(void *, size_t, size_t *, size_t *) = NULL;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver != NULL) info = (Error (*)(void *, size_t, size_t *, size_t *)) dlsym(driver, "cuFuncGetParamInfo");
  Error e = OWN(Error, "cudaGetFuncBySymbol", void **, const void *)(&function, host);
  if (e != 0 || info == NULL) {
    say("not recorded, as the driver is older than CUDA 12.4: ", k->name);
    return 0;
  }
  static char path[4096];
  snprintf(path, sizeof path, "%s/launch%06d", folder(), ++launches);
  mkdir(path, 0777);
  char name[8192];
  snprintf(name, sizeof name, "%s/launch.txt", path);
  FILE *f = file(name, "w");
  fprintf(f, "entry %s\nimage %d\ngrid %u %u %u\nblock %u %u %u\ncluster %u %u %u\n", k->name, k->image, grid.x,
      grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y, cluster.z);
  fprintf(f, "shared %zu\ncooperative %d\n", shared, cooperative);
  *b = (Begun) {path, calloc(1, MOST_PARAMETERS), 0};
  size_t offset, bytes;
  for (size_t i = 0; info(function, i, &offset, &bytes) == 0 && offset + bytes <= MOST_PARAMETERS; i++) {
    memcpy(b->parameters + offset, arguments[i], bytes);
    if (offset + bytes > b->bytes) b->bytes = offset + bytes;
    fprintf(f, "parameter %zu ", bytes);
    hex(f, arguments[i], bytes);
  }
  for (Map *m = maps; m != NULL; m = m->next) {
    fputs("map ", f);
    for (int i = 0; i < MAP_WORDS; i++) fprintf(f, "%lld ", (long long) m->words[i]);
    hex(f, m->bytes, MAP_BYTES);
  }
  for (Variable *v = variables; v != NULL; v = v->next) {
    void *address;
    if (v->image != k->image || OWN(Error, "cudaGetSymbolAddress", void **, const void *)(&address, v->host)) continue;
    copy(path, v->name, "value", address, v->bytes);
    fprintf(f, "variable %s %zu\n", v->name, v->bytes);
  }
  copy_memory(f, path, "before", b->parameters, b->bytes);
  fclose(f);
  return 1;
}

static Error end(Begun *b, int recorded, Error e) {
  if (!recorded) return e;
  Error ran = OWN(Error, "cudaDeviceSynchronize", void)();
  if (e != 0 || ran != 0) say("failed, and has no results: ", b->launch);
  else copy_memory(NULL, b->launch, "after", b->parameters, b->bytes);
  free(b->parameters);
  return e;
}

#define ONE ((Dim) {1, 1, 1})
#define RECORDED(cluster, cooperative, call) do { \
    pthread_mutex_lock(&mutex); \
    Begun b_; \
    int recorded_ = begin(&b_, function, grid, block, cluster, shared, cooperative, arguments, stream); \
    Error e_ = end(&b_, recorded_, call); \
    pthread_mutex_unlock(&mutex); \
    return e_; \
  } while (0)

API Error cudaLaunchKernel(const void *function, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  RECORDED(ONE, 0, OWN(Error, "cudaLaunchKernel", const void *, Dim, Dim, void **, size_t, void *)(function, grid,
      block, arguments, shared, stream));
}

// nvcc 13 launches by the kernel's handle.
API Error __cudaLaunchKernel(void *kernel, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  const void *function = NULL;
  for (Kernel *k = kernels; k != NULL && function == NULL; k = k->next) {
    void *handle = NULL;
    Error e = OWN(Error, "cudaGetKernel", void **, const void *)(&handle, k->host);
    if (e == 0 && handle == kernel) function = k->host;
  }
  RECORDED(ONE, 0, OWN(Error, "__cudaLaunchKernel", void *, Dim, Dim, void **, size_t, void *)(kernel, grid, block,
      arguments, shared, stream));
}

API Error cudaLaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments, size_t shared,
    void *stream) {
  RECORDED(ONE, 1, OWN(Error, "cudaLaunchCooperativeKernel", const void *, Dim, Dim, void **, size_t, void *)(function,
      grid, block, arguments, shared, stream));
}

typedef struct { int id; char pad[4]; union { char bytes[64]; int value; Dim cluster; } value; } LaunchAttribute;
typedef struct {
  Dim grid, block;
  size_t shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
} LaunchConfig;

API Error cudaLaunchKernelExC(const LaunchConfig *c, const void *function, void **arguments) {
  Dim grid = c->grid, block = c->block, cluster = ONE;
  size_t shared = c->shared;
  void *stream = c->stream;
  int cooperative = 0;
  for (unsigned i = 0; i < c->count; i++) {
    if (c->attributes[i].id == 2) cooperative = c->attributes[i].value.value != 0;
    if (c->attributes[i].id == 4) cluster = c->attributes[i].value.cluster;
  }
  RECORDED(cluster, cooperative, OWN(Error, "cudaLaunchKernelExC", const LaunchConfig *, const void *, void **)(c,
      function, arguments));
}
