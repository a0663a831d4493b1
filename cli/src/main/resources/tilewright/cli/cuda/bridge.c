// The connection to the simulator: a stream socket for requests, and a memory file for the contents of device memory.
#define _GNU_SOURCE
#include "bridge.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HELLO = 1, ALLOCATE, FREE, MODULE, KERNEL, VARIABLE, LAUNCH, FETCH, STORE, RELEASE, ENCODE };

#define WINDOW_BITS 40
#define PAGE 4096ull
// Addresses only: memory is taken as it is used.
#define REGION (1ull << 42)
#define UNKNOWN 999
#define OUT_OF_MEMORY 2
#define INVALID_VALUE 1
#define MOST_PENDING 64
#define MOST_PENDING_BYTES (32 << 10)

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int connection = -1;
static char *region;
static int region_file = -1;
static uint64_t region_used;
static Device device;
static Allocation **windows;
static uint32_t window_count;
static uint64_t simulated_ns;
static int sticky;
// An error of a launch that says nothing about later ones, until it is told.
static int refused;
// Launches that have not been answered. So few bytes always fit the socket, so that neither side ever waits to send.
static uint32_t pending;
static uint64_t pending_bytes;
static Module *modules;

void tw_say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fflush(stdout);
  fputs("tilewright: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
}

static void die(const char *what) {
  tw_say("%s: %s", what, strerror(errno));
  _exit(3);
}

static void put_all(const void *bytes, size_t n) {
  for (const char *p = bytes; n > 0;) {
    ssize_t done = send(connection, p, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) die("the simulator does not answer");
    p += done;
    n -= done;
  }
}

static void get_all(void *bytes, size_t n) {
  for (char *p = bytes; n > 0;) {
    ssize_t done = recv(connection, p, n, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) die("the simulator ended");
    p += done;
    n -= done;
  }
}

typedef struct { char *bytes; size_t used, room; } Buffer;

static void append(Buffer *b, const void *bytes, size_t n) {
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n) + 64;
    b->bytes = realloc(b->bytes, b->room);
  }
  memcpy(b->bytes + b->used, bytes, n);
  b->used += n;
}

static void append32(Buffer *b, uint32_t v) { append(b, &v, 4); }
static void append64(Buffer *b, uint64_t v) { append(b, &v, 8); }

static void append_text(Buffer *b, const char *text) {
  append32(b, strlen(text));
  append(b, text, strlen(text));
}

static Buffer request(uint32_t operation) {
  Buffer b = {0};
  append32(&b, operation);
  append32(&b, 0);
  return b;
}

static void tell(Buffer *b) {
  uint32_t n = b->used - 8;
  memcpy(b->bytes + 4, &n, 4);
  put_all(b->bytes, b->used);
  free(b->bytes);
  *b = (Buffer) {0};
}

static int answer(Buffer *b) {
  uint32_t head[2];
  get_all(head, sizeof head);
  b->bytes = malloc(head[1] + 1);
  b->room = head[1];
  get_all(b->bytes, head[1]);
  b->used = 0;
  return (int) head[0];
}

static void settle_launches(void);

// Sends a request and waits for the answer, whose bytes replace those of the buffer. Returns its status.
static int ask(Buffer *b) {
  settle_launches();
  tell(b);
  return answer(b);
}

static uint32_t take32(Buffer *b) {
  uint32_t v;
  memcpy(&v, b->bytes + b->used, 4);
  b->used += 4;
  return v;
}

static uint64_t take64(Buffer *b) {
  uint64_t v;
  memcpy(&v, b->bytes + b->used, 8);
  b->used += 8;
  return v;
}

static void start(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  const char *path = getenv("TILEWRIGHT_CUDA_SOCKET");
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (path == NULL || strlen(path) >= sizeof name.sun_path) {
    fputs("tilewright: this program runs under 'tilewright cuda PROGRAM' only\n", stderr);
    _exit(2);
  }
  strcpy(name.sun_path, path);
  connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection, (struct sockaddr *) &name, sizeof name) != 0) die("the simulator is not there");
  region_file = memfd_create("tilewright-device-memory", MFD_CLOEXEC);
  if (region_file < 0 || ftruncate(region_file, REGION) != 0) die("no memory to share with the simulator");
  region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, region_file, 0);
  if (region == MAP_FAILED) die("no addresses for memory to share with the simulator");
  Buffer b = request(HELLO);
  append32(&b, getpid());
  append32(&b, region_file);
  append64(&b, REGION);
  ask(&b);
  memcpy(&device, b.bytes, sizeof device);
  free(b.bytes);
}

void tw_lock(void) {
  pthread_once(&once, start);
  pthread_mutex_lock(&mutex);
}

void tw_unlock(void) { pthread_mutex_unlock(&mutex); }

Device *tw_device(void) {
  pthread_once(&once, start);
  return &device;
}

int tw_sticky(void) { return sticky; }

static void settle_launch(void) {
  Buffer b;
  int status = answer(&b);
  pending--;
  bool told = take32(&b);
  simulated_ns += take64(&b);
  uint32_t touched = take32(&b);
  for (uint32_t i = 0; i < touched; i++) {
    Allocation *a = tw_find((void *) take64(&b));
    if (a != NULL && !a->managed) a->ours = false;
  }
  uint32_t printed = take32(&b);
  if (printed > 0) fwrite(b.bytes + b.used, 1, printed, stdout);
  free(b.bytes);
  if (status != 0 && told) refused = status;
  if (status != 0 && !told && sticky == 0) sticky = status;
}

static void settle_launches(void) {
  while (pending > 0) settle_launch();
  pending_bytes = 0;
}

int tw_settle(void) {
  tw_lock();
  settle_launches();
  int e = sticky ? sticky : refused;
  refused = 0;
  tw_unlock();
  return e;
}

uint64_t tw_now(void) {
  tw_lock();
  settle_launches();
  tw_unlock();
  return simulated_ns;
}

// A program may end without waiting for its kernels.
__attribute__((destructor)) static void end(void) {
  if (connection >= 0) settle_launches();
}

static void remember(Allocation *a) {
  uint64_t window = a->address >> WINDOW_BITS;
  if (window >= window_count) {
    uint32_t larger = 2 * window + 256;
    windows = realloc(windows, larger * sizeof *windows);
    memset(windows + window_count, 0, (larger - window_count) * sizeof *windows);
    window_count = larger;
  }
  windows[window] = a;
}

Allocation *tw_find(const void *address) {
  uint64_t window = (uint64_t) address >> WINDOW_BITS;
  Allocation *a = window < window_count ? windows[window] : NULL;
  if (a == NULL) return NULL;
  return (uint64_t) address - a->address <= a->bytes ? a : NULL;
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

int tw_allocate(uint64_t bytes, bool managed, Allocation **out) {
  uint64_t room = (bytes + PAGE - 1) / PAGE * PAGE;
  if (bytes > INT32_MAX - PAGE) {
    tw_say("an allocation of %llu bytes is refused: the simulator holds at most 2 GiB in one",
        (unsigned long long) bytes);
    return OUT_OF_MEMORY;
  }
  if (bytes > (uint64_t) device.memory_bytes || region_used + room > REGION) return OUT_OF_MEMORY;
  Allocation *a = calloc(1, sizeof *a);
  a->bytes = bytes;
  a->managed = managed;
  a->ours = managed;
  a->host = region + region_used;
  uint64_t fixed = 0;
  if (managed) {
    fixed = (uint64_t) map_window(region_used, room);
    if (fixed == 0) {
      tw_say("no addresses are left for managed or page-locked memory: at most about 120 allocations at a time");
      free(a);
      return OUT_OF_MEMORY;
    }
  }
  int status = ask_allocation(a, fixed);
  if (status != 0) {
    free(a);
    return status;
  }
  region_used += room;
  remember(a);
  *out = a;
  return 0;
}

void tw_free(Allocation *a) {
  settle_launches();
  Buffer b = request(FREE);
  append64(&b, a->address);
  tell(&b);
  uint64_t room = (a->bytes + PAGE - 1) / PAGE * PAGE;
  if (a->managed && a->pages == NULL) munmap((void *) a->address, room);
  fallocate(region_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (a->host - region) / PAGE * PAGE, room);
  windows[a->address >> WINDOW_BITS] = NULL;
  free(a);
}

static Allocation *registrations;

// Puts a part of the memory file in the place of the pages, with the same contents.
int tw_register(void *host, uint64_t bytes) {
  uint64_t lead = (uint64_t) host % PAGE;
  uint64_t room = (lead + bytes + PAGE - 1) / PAGE * PAGE;
  if (bytes == 0 || bytes > INT32_MAX - PAGE || region_used + room > REGION) return INVALID_VALUE;
  if (tw_registered(host) != NULL) return 712;  // cudaErrorHostMemoryAlreadyRegistered
  Allocation *a = calloc(1, sizeof *a);
  *a = (Allocation) {.bytes = bytes, .managed = true, .ours = true, .host = region + region_used + lead,
      .pages = (char *) host - lead, .next = registrations};
  memcpy(region + region_used, a->pages, room);
  void *got = mmap(a->pages, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, region_file, region_used);
  int status = got == MAP_FAILED ? OUT_OF_MEMORY : ask_allocation(a, 0);
  if (status != 0) return status;
  region_used += room;
  registrations = a;
  remember(a);
  return 0;
}

Allocation *tw_registered(const void *host) {
  for (Allocation *a = registrations; a != NULL; a = a->next) {
    uint64_t offset = (uint64_t) host - (uint64_t) (a->pages + (uint64_t) a->host % PAGE);
    if (offset < a->bytes) return a;
  }
  return NULL;
}

int tw_unregister(void *host) {
  Allocation *a = tw_registered(host);
  if (a == NULL) return 713;  // cudaErrorHostMemoryNotRegistered
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
  tw_free(a);
  return 0;
}

static void tell_range(uint32_t operation, Allocation *a, uint64_t offset, uint64_t bytes) {
  Buffer b = request(operation);
  append64(&b, a->address);
  append64(&b, offset);
  append64(&b, bytes);
  if (operation == FETCH) {
    ask(&b);
    free(b.bytes);
  } else {
    tell(&b);
  }
}

// Makes this process's copy of a range current.
static char *to_read(Allocation *a, uint64_t offset, uint64_t bytes) {
  if (!a->ours) tell_range(FETCH, a, offset, bytes);
  return a->host + offset;
}

// To call when this process's copy of a range was changed.
static void written(Allocation *a, uint64_t offset, uint64_t bytes) {
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
  if (bytes == 0) return 0;
  settle_launches();
  if (sticky) return sticky;
  Allocation *target = tw_find(to), *source = tw_find(from);
  if (target == NULL && is_foreign(to)) return INVALID_VALUE;
  if (source == NULL && is_foreign(from)) return INVALID_VALUE;
  if (to == NULL || from == NULL) return INVALID_VALUE;
  if (target != NULL && !fits(target, to, bytes)) return INVALID_VALUE;
  if (source != NULL && !fits(source, from, bytes)) return INVALID_VALUE;
  uint64_t to_offset = target ? (uint64_t) to - target->address : 0;
  const char *read = source ? to_read(source, (uint64_t) from - source->address, bytes) : from;
  memmove(target ? target->host + to_offset : to, read, bytes);
  if (target != NULL) written(target, to_offset, bytes);
  // As fast as PCIe 5.0 with 16 lanes, or HBM.
  simulated_ns += 1000 + bytes / (target && source ? 1500 : 55);
  return 0;
}

int tw_fill(void *to, int value, size_t width, size_t count) {
  settle_launches();
  if (sticky) return sticky;
  Allocation *target = tw_find(to);
  if (target == NULL || !fits(target, to, width * count)) return INVALID_VALUE;
  uint64_t offset = (uint64_t) to - target->address;
  char *at = target->host + offset;
  if (width == 1) {
    memset(at, value, count);
  } else {
    for (size_t i = 0; i < count; i++) memcpy(at + i * width, &value, width);
  }
  if (width * count > 0) written(target, offset, width * count);
  simulated_ns += 1000 + width * count / 1500;
  return 0;
}

Module *tw_module(const void *image) {
  for (Module *m = modules; m != NULL; m = m->next) if (m->image == image) return m;
  Module *m = calloc(1, sizeof *m);
  m->image = image;
  m->next = modules;
  modules = m;
  return m;
}

// The bytes of an image: a fat binary tells its size, PTX ends with a null.
static uint64_t image_bytes(const void *image) {
  uint32_t magic;
  memcpy(&magic, image, 4);
  if (magic != 0xBA55ED50) return strlen(image);
  uint16_t header;
  uint64_t rest;
  memcpy(&header, (char *) image + 6, 2);
  memcpy(&rest, (char *) image + 8, 8);
  return header + rest;
}

static int load(Module *m) {
  if (m->loaded == 0) {
    Buffer b = request(MODULE);
    append(&b, m->image, m->image_bytes ? m->image_bytes : image_bytes(m->image));
    int status = ask(&b);
    if (status == 0) m->id = take32(&b);
    m->loaded = status == 0 ? 1 : -status;
    free(b.bytes);
  }
  return m->loaded == 1 ? 0 : -m->loaded;
}

int tw_kernel(Kernel *k) {
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
    k->dynamic_limit = (int) (device.shared_per_block - k->static_shared);
    k->loaded = status == 0 ? 1 : -status;
  }
  return k->loaded == 1 ? 0 : -k->loaded;
}

int tw_variable(Module *m, const char *name, void **address, size_t *bytes) {
  int status = load(m);
  if (status != 0) return status;
  Buffer b = request(VARIABLE);
  append32(&b, m->id);
  append_text(&b, name);
  append64(&b, region_used);
  status = ask(&b);
  if (status == 0) {
    uint64_t at = take64(&b);
    uint64_t size = take64(&b);
    if (tw_find((void *) at) == NULL) {
      Allocation *a = calloc(1, sizeof *a);
      *a = (Allocation) {.address = at, .bytes = size, .host = region + region_used};
      region_used += (size + PAGE - 1) / PAGE * PAGE;
      remember(a);
    }
    *address = (void *) at;
    if (bytes != NULL) *bytes = size;
  }
  free(b.bytes);
  return status;
}

int tw_pack(Kernel *k, void **arguments, char **packed) {
  *packed = calloc(1, k->parameter_bytes + 1);
  for (uint32_t i = 0; i < k->parameters; i++) {
    memcpy(*packed + k->parameter[i].offset, arguments[i], k->parameter[i].bytes);
  }
  return 0;
}

int tw_launch(const Launch *l) {
  if (sticky) return sticky;
  Buffer b = request(LAUNCH);
  append32(&b, l->kernel->id);
  append(&b, &l->grid, sizeof l->grid);
  append(&b, &l->block, sizeof l->block);
  append(&b, &l->cluster, sizeof l->cluster);
  append32(&b, (uint32_t) l->shared);
  append32(&b, l->cooperative);
  append32(&b, l->kernel->parameter_bytes);
  append(&b, l->parameters, l->kernel->parameter_bytes);
  if (pending == MOST_PENDING || pending_bytes + b.used > MOST_PENDING_BYTES) settle_launches();
  pending++;
  pending_bytes += b.used;
  tell(&b);
  return 0;
}

int tw_encode_tiled(void *map, const int64_t *words, unsigned count) {
  Buffer b = request(ENCODE);
  append(&b, words, count * sizeof *words);
  int status = ask(&b);
  if (status == 0) memcpy(map, b.bytes, 128);
  free(b.bytes);
  return status;
}

int tw_unsupported(const char *name) {
  tw_say("%s is not supported by the simulator; see the table of calls at 'Debug a CUDA kernel without a GPU'", name);
  return 801;  // cudaErrorNotSupported
}
