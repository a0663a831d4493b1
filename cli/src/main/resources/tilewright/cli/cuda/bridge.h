// What the parts of the library share: the connection to the simulator, device memory and kernels.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct { unsigned x, y, z; } Dim;

// The simulated device, as the simulator describes it.
typedef struct {
  int64_t capability, multiprocessors, shared_per_block, shared_optin, shared_per_sm, warps_per_sm, blocks_per_sm;
  int64_t l2_bytes, memory_bytes, clock_khz, memory_clock_khz, bus_width;
  char name[64];
} Device;

// An allocation: device memory that this process and the simulator both have, each with its own copy.
typedef struct Allocation {
  uint64_t address;
  uint64_t bytes;
  char *host;      // this process's copy
  bool managed;    // the process may access it at any time, at the same address if host == (char *) address
  bool ours;       // this process's copy is the newest; otherwise the simulator's is
  char *pages;     // of registered host memory, where the program has this process's copy; host is where it begins
  struct Allocation *next;
} Allocation;

typedef struct { uint32_t offset, bytes; } Parameter;

typedef struct Module {
  const void *image;
  uint64_t image_bytes;
  uint32_t id;
  int loaded;      // 0: not yet, 1: yes, otherwise the negative error
  struct Module *next;
} Module;

typedef struct Kernel {
  Module *module;
  const char *name;
  const void *host;
  int loaded;
  uint32_t id;
  uint32_t parameter_bytes, parameters;
  Parameter *parameter;
  uint32_t static_shared, local_bytes, most_threads;
  int dynamic_limit;
  struct Kernel *next;
} Kernel;

typedef struct Launch {
  Kernel *kernel;
  Dim grid, block, cluster;
  uint64_t shared;
  bool cooperative;
  char *parameters;
} Launch;

void tw_lock(void);
void tw_unlock(void);
Device *tw_device(void);
int tw_unsupported(const char *name);
void tw_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Memory. Errors are cudaError_t, which the driver's CUresult shares for the codes used here.
int tw_allocate(uint64_t bytes, bool managed, Allocation **out);
void tw_free(Allocation *a);
// Lets the device use host memory, and ends that.
int tw_register(void *host, uint64_t bytes);
int tw_unregister(void *host);
// The registered memory that a host address lies in.
Allocation *tw_registered(const void *host);
Allocation *tw_find(const void *address);
int tw_copy(void *to, const void *from, size_t bytes);
int tw_fill(void *to, int value, size_t width, size_t count);

// Programs.
Module *tw_module(const void *image);
int tw_kernel(Kernel *k);
int tw_variable(Module *m, const char *name, void **address, size_t *bytes);
int tw_pack(Kernel *k, void **arguments, char **packed);
int tw_launch(const Launch *l);
int tw_encode_tiled(void *map, const int64_t *words, unsigned count);

// Waits for all launches. Returns the error of a launch after which the context is of no use, as on a GPU.
int tw_settle(void);
// The same error, if it is known already.
int tw_sticky(void);
// The simulated time since the beginning, in nanoseconds, when all launches are over.
uint64_t tw_now(void);
