// The connection to the simulator: a stream socket for requests, and a memory file for the contents of device memory.
#define _GNU_SOURCE
#include "protocol.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Addresses only: memory is taken as it is used.
#define REGION (1ull << 42)
#define MOST_PENDING 64
#define MOST_PENDING_BYTES (32 << 10)

char *region;
int region_file = -1;
static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int connection = -1;
static uint64_t region_used;
static Device device;
static uint64_t simulated_ns;
static int sticky;
// An error of a launch that says nothing about later ones, until it is told.
static int refused;
// Launches that have not been answered. So few bytes always fit the socket, so that neither side ever waits to send.
static uint32_t pending;
static uint64_t pending_bytes;

void tw_say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fflush(stdout);
  fputs("tilewright: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
}

int tw_unsupported(const char *name) {
  tw_say("%s is not supported by the simulator; see the table of calls at 'Debug a CUDA kernel without a GPU'", name);
  return NOT_SUPPORTED;
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

void append(Buffer *b, const void *bytes, size_t n) {
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n) + 64;
    b->bytes = realloc(b->bytes, b->room);
  }
  memcpy(b->bytes + b->used, bytes, n);
  b->used += n;
}

void append32(Buffer *b, uint32_t v) { append(b, &v, 4); }
void append64(Buffer *b, uint64_t v) { append(b, &v, 8); }

void append_text(Buffer *b, const char *text) {
  append32(b, strlen(text));
  append(b, text, strlen(text));
}

uint32_t take32(Buffer *b) {
  uint32_t v;
  memcpy(&v, b->bytes + b->used, 4);
  b->used += 4;
  return v;
}

uint64_t take64(Buffer *b) {
  uint64_t v;
  memcpy(&v, b->bytes + b->used, 8);
  b->used += 8;
  return v;
}

Buffer request(uint32_t operation) {
  Buffer b = {0};
  append32(&b, operation);
  append32(&b, 0);
  return b;
}

void tell(Buffer *b) {
  uint32_t n = b->used - 8;
  memcpy(b->bytes + 4, &n, 4);
  put_all(b->bytes, b->used);
  free(b->bytes);
  *b = (Buffer) {0};
}

int answer(Buffer *b) {
  uint32_t head[2];
  get_all(head, sizeof head);
  b->bytes = malloc(head[1] + 1);
  b->room = head[1];
  get_all(b->bytes, head[1]);
  b->used = 0;
  return (int) head[0];
}

int ask(Buffer *b) {
  settle_launches();
  tell(b);
  return answer(b);
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

const Device *tw_device(void) {
  pthread_once(&once, start);
  return &device;
}

bool region_has(uint64_t bytes) { return region_used + bytes <= REGION; }

uint64_t take_region(uint64_t bytes) {
  uint64_t offset = region_used;
  region_used += (bytes + PAGE - 1) / PAGE * PAGE;
  return offset;
}

void tw_unsuitable(const char *why) {
  tw_lock();
  fflush(stdout);
  Buffer b = request(UNSUITABLE);
  append_text(&b, why);
  tell(&b);
  _exit(2);
}

void pass_time(uint64_t ns) { simulated_ns += ns; }

static void settle_launch(void) {
  Buffer b;
  int status = answer(&b);
  pending--;
  bool told = take32(&b);
  simulated_ns += take64(&b);
  uint32_t touched = take32(&b);
  for (uint32_t i = 0; i < touched; i++) {
    Allocation *a = tw_find((void *) take64(&b));
    if (a != NULL && !a->managed && !a->shared) a->ours = a->fetched = false;
  }
  uint32_t printed = take32(&b);
  if (printed > 0) fwrite(b.bytes + b.used, 1, printed, stdout);
  free(b.bytes);
  if (status != 0 && told) refused = status;
  if (status != 0 && !told && sticky == 0) sticky = status;
}

void settle_launches(void) {
  while (pending > 0) settle_launch();
  pending_bytes = 0;
}

void post_launch(Buffer *b) {
  if (pending == MOST_PENDING || pending_bytes + b->used > MOST_PENDING_BYTES) settle_launches();
  pending++;
  pending_bytes += b->used;
  tell(b);
}

int tw_sticky(void) { return sticky; }

int tw_settle(void) {
  LOCKED;
  settle_launches();
  int e = sticky ? sticky : refused;
  refused = 0;
  return e;
}

uint64_t tw_now(void) {
  LOCKED;
  settle_launches();
  return simulated_ns;
}

// A program may end without waiting for its kernels.
__attribute__((destructor)) static void end(void) {
  if (connection >= 0) settle_launches();
}
