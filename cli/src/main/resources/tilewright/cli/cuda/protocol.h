// Requests to the simulator and their answers, within the library.
#pragma once
#include "bridge.h"

enum { HELLO = 1, ALLOCATE, FREE, MODULE, KERNEL, VARIABLE, LAUNCH_KERNEL, FETCH, STORE, RELEASE, ENCODE, HEAP_LIMIT,
  UNSUITABLE, SHARE, OPEN_SHARED };

typedef struct { char *bytes; size_t used, room; } Buffer;

Buffer request(uint32_t operation);
void append(Buffer *b, const void *bytes, size_t n);
void append32(Buffer *b, uint32_t v);
void append64(Buffer *b, uint64_t v);
void append_text(Buffer *b, const char *text);
uint32_t take32(Buffer *b);
uint64_t take64(Buffer *b);

// Sends a request that has no answer.
void tell(Buffer *b);
// Sends a request and waits for the answer, whose bytes replace those of the buffer. Returns its status.
int ask(Buffer *b);
// Waits for the answer of a request that was told.
int answer(Buffer *b);
// Sends a launch, whose answer is waited for when a call needs it.
void post_launch(Buffer *b);
// Waits for the answers of all launches.
void settle_launches(void);
// Adds to the simulated time.
void pass_time(uint64_t ns);

#define PAGE 4096ull

// The file that this process and the simulator both map.
extern char *region;
extern int region_file;
// Takes a part of the file. Returns its offset; there is no end to it within reason.
uint64_t take_region(uint64_t bytes);
bool region_has(uint64_t bytes);

// Makes this process's copy of a range current.
char *to_read(Allocation *a, uint64_t offset, uint64_t bytes);
// To call when this process's copy of a range was changed.
void written(Allocation *a, uint64_t offset, uint64_t bytes);

int do_memory(const GraphMemory *m);
// To call when an allocation of a graph is gone.
void graph_memory_freed(uint64_t bytes);

// Whether there is memory that the program may use unasked.
bool has_managed(void);
// To call when an allocation becomes one that may be used unasked.
void now_shared(Allocation *a);
// Makes an allocation findable by its address.
void remember(Allocation *a);
// Makes a variable of a module known, at its address in the device.
Allocation *tw_adopt(uint64_t address, uint64_t bytes, uint64_t offset, bool managed);
