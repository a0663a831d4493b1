// Device memory that several processes use. It lies in the file of the process that made it.
#define _GNU_SOURCE
#include "protocol.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MARK 0x7769726774656c69ull

int tw_share(void *address, Handle *h) {
  LOCKED;
  Allocation *a = tw_find(address);
  if (a == NULL || h == NULL || a->address != (uint64_t) address) return INVALID_VALUE;
  if (a->managed || a->imported || a->ranged) return INVALID_VALUE;
  settle_launches();
  if (!a->shared) {
    to_read(a, 0, a->bytes);
    Buffer b = request(SHARE);
    append64(&b, a->address);
    tell(&b);
    now_shared(a);
  }
  *h = (Handle) {.mark = MARK, .process = getpid(), .file = region_file, .offset = a->host - region, .bytes = a->bytes,
      .pool = a->pool};
  return SUCCESS;
}

int tw_open_shared(const Handle *h, void **address) {
  LOCKED;
  if (h == NULL || address == NULL || h->mark != MARK || h->process == (uint64_t) getpid()) return INVALID_VALUE;
  char path[64];
  snprintf(path, sizeof path, "/proc/%llu/fd/%llu", (unsigned long long) h->process, (unsigned long long) h->file);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return INVALID_HANDLE;
  void *host = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, h->offset);
  close(file);
  if (host == MAP_FAILED) return INVALID_HANDLE;
  Buffer b = request(OPEN_SHARED);
  append32(&b, h->process);
  append32(&b, h->file);
  append64(&b, h->offset);
  append64(&b, h->bytes);
  int status = ask(&b);
  if (status == SUCCESS) {
    Allocation *a = calloc(1, sizeof *a);
    *a = (Allocation) {.address = take64(&b), .bytes = h->bytes, .host = host, .ours = true, .shared = true,
        .imported = true};
    remember(a);
    *address = (void *) a->address;
  } else {
    munmap(host, h->bytes);
  }
  free(b.bytes);
  return status;
}
