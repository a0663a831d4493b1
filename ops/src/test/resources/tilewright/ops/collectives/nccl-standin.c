// A stand-in for NCCL among threads of one process: transfers over host memory, whose calls do not block.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8, MOST_TRANSFERS = 64 };
enum { SUCCESS = 0, INVALID_ARGUMENT = 4, IN_PROGRESS = 7 };
enum Kind { ALL_REDUCE, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE };

typedef struct { char bytes[128]; } Id;
typedef struct { size_t size; unsigned magic, version; int blocking; } Config;

typedef struct Transfer {
  enum Kind kind;
  const char *from;
  char *into;
  size_t count;
  int type, operation, peer;
} Transfer;

typedef struct World World;
typedef struct Comm {
  World *world;
  int rank, waiting;
  Transfer transfers[MOST_TRANSFERS];
} Comm;

struct World {
  Id id;
  int size, joined;
  Comm *ranks[MOST_RANKS];
  World *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static World *worlds;
static int ids, calls, failure;
static __thread struct { Comm *comm; Transfer transfer; } group[MOST_TRANSFERS];
static __thread int grouped;

static size_t width(int type) { return type == 2 || type == 7 ? 4 : 1; }

static void add(char *sums, const char *other, size_t count, int type, int operation) {
  for (size_t i = 0; i < count; i++) {
    if (type == 7 && operation == 0) ((float *) sums)[i] += ((const float *) other)[i];
    if (type == 2 && operation == 0) ((int *) sums)[i] += ((const int *) other)[i];
    if (type == 2 && operation == 2 && ((const int *) other)[i] > ((int *) sums)[i]) {
      ((int *) sums)[i] = ((const int *) other)[i];
    }
  }
}

static void collective(World *w) {
  Transfer first = w->ranks[0]->transfers[0];
  size_t bytes = first.count * width(first.type);
  size_t all = first.kind == ALL_GATHER || first.kind == REDUCE_SCATTER ? bytes * w->size : bytes;
  char *result = malloc(all);
  if (first.kind == ALL_GATHER) {
    for (int r = 0; r < w->size; r++) memcpy(result + r * bytes, w->ranks[r]->transfers[0].from, bytes);
  } else if (first.kind == BROADCAST) {
    memcpy(result, w->ranks[first.peer]->transfers[0].from, bytes);
  } else {
    memcpy(result, first.from, all);
    for (int r = 1; r < w->size; r++) {
      add(result, w->ranks[r]->transfers[0].from, all / width(first.type), first.type, first.operation);
    }
  }
  for (int r = 0; r < w->size; r++) {
    size_t begin = first.kind == REDUCE_SCATTER ? r * bytes : 0;
    size_t part = first.kind == REDUCE_SCATTER ? bytes : all;
    if (first.kind != REDUCE || r == first.peer) memcpy(w->ranks[r]->transfers[0].into, result + begin, part);
  }
  free(result);
}

static void drop(Comm *comm, int at) {
  memmove(comm->transfers + at, comm->transfers + at + 1, (--comm->waiting - at) * sizeof(Transfer));
}

static int pair(World *w) {
  for (int s = 0; s < w->size; s++) {
    for (int i = 0; i < w->ranks[s]->waiting; i++) {
      Transfer *send = &w->ranks[s]->transfers[i];
      if (send->kind != SEND) continue;
      Comm *other = w->ranks[send->peer];
      for (int j = 0; j < other->waiting; j++) {
        Transfer *receive = &other->transfers[j];
        if (receive->kind != RECEIVE || receive->peer != s) continue;
        memcpy(receive->into, send->from, send->count);
        drop(other, j);
        drop(w->ranks[s], i);
        return 1;
      }
    }
  }
  return 0;
}

static void progress(World *w) {
  if (w->joined < w->size) return;
  while (pair(w)) {}
  for (;;) {
    for (int r = 0; r < w->size; r++) {
      if (w->ranks[r]->waiting == 0 || w->ranks[r]->transfers[0].kind >= SEND) return;
    }
    collective(w);
    for (int r = 0; r < w->size; r++) drop(w->ranks[r], 0);
  }
}

int ncclGetVersion(int *version) { *version = 22809; return SUCCESS; }

int ncclGetUniqueId(Id *id) {
  memset(id, 0, sizeof *id);
  pthread_mutex_lock(&mutex);
  id->bytes[0] = (char) ++ids;
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

int ncclCommInitRankConfig(Comm **comm, int size, Id id, int rank, Config *config) {
  if (config->magic != 0xcafebeef || config->blocking != 0 || config->size < sizeof *config) return INVALID_ARGUMENT;
  if (strcmp(getenv("NCCL_NVLS_ENABLE"), "0") != 0) return INVALID_ARGUMENT;
  pthread_mutex_lock(&mutex);
  World *w = worlds;
  while (w && memcmp(&w->id, &id, sizeof id) != 0) w = w->next;
  if (!w) {
    w = calloc(1, sizeof *w);
    w->id = id;
    w->size = size;
    w->next = worlds;
    worlds = w;
  }
  *comm = calloc(1, sizeof **comm);
  (*comm)->world = w;
  (*comm)->rank = rank;
  w->ranks[rank] = *comm;
  w->joined++;
  pthread_mutex_unlock(&mutex);
  return IN_PROGRESS;
}

int ncclCommGetAsyncError(Comm *comm, int *state) {
  pthread_mutex_lock(&mutex);
  *state = failure ? failure
      : comm->world->joined < comm->world->size || comm->waiting > 0 ? IN_PROGRESS : SUCCESS;
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

int ncclGroupStart(void) { grouped = 0; return SUCCESS; }

int ncclGroupEnd(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < grouped; i++) {
    Comm *comm = group[i].comm;
    comm->transfers[comm->waiting++] = group[i].transfer;
    calls++;
  }
  if (grouped) progress(group[0].comm->world);
  pthread_mutex_unlock(&mutex);
  return IN_PROGRESS;
}

static int enqueue(Comm *comm, Transfer transfer) {
  group[grouped].comm = comm;
  group[grouped++].transfer = transfer;
  return SUCCESS;
}

int ncclAllReduce(const void *from, void *into, size_t count, int type, int operation, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {ALL_REDUCE, from, into, count, type, operation, 0});
}

int ncclBroadcast(const void *from, void *into, size_t count, int type, int root, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {BROADCAST, from, into, count, type, 0, root});
}

int ncclReduce(const void *from, void *into, size_t count, int type, int operation, int root, Comm *comm,
    void *stream) {
  return enqueue(comm, (Transfer) {REDUCE, from, into, count, type, operation, root});
}

int ncclAllGather(const void *from, void *into, size_t count, int type, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {ALL_GATHER, from, into, count, type, 0, 0});
}

int ncclReduceScatter(const void *from, void *into, size_t count, int type, int operation, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {REDUCE_SCATTER, from, into, count, type, operation, 0});
}

int ncclSend(const void *from, size_t count, int type, int peer, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {SEND, from, 0, count, type, 0, peer});
}

int ncclRecv(void *into, size_t count, int type, int peer, Comm *comm, void *stream) {
  return enqueue(comm, (Transfer) {RECEIVE, 0, into, count, type, 0, peer});
}

int ncclCommAbort(Comm *comm) { return SUCCESS; }
int ncclCommDestroy(Comm *comm) { return SUCCESS; }
const char *ncclGetErrorString(int result) { return result == 6 ? "remote process exited" : "an error"; }
const char *ncclGetLastError(Comm *comm) { return "of the stand-in"; }

// For tests: the transfers so far, and an asynchronous error of every communicator.
int standinCalls(void) { return calls; }
int standinFail(int result) { failure = result; return SUCCESS; }
