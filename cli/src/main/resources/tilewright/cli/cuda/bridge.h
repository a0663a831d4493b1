// What the simulated device does for a program, whichever API that calls. Results are cudaError_t, whose numbers
// CUresult shares. Every function takes the lock itself.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONFIGURATION = 9, INVALID_SYMBOL = 13,
  INVALID_DEVICE_FUNCTION = 98, INVALID_DEVICE = 101, NO_KERNEL_IMAGE = 209, FILE_NOT_FOUND = 301,
  INVALID_HANDLE = 400, ILLEGAL_STATE = 401, NOT_FOUND = 500, PEER_ALREADY_ENABLED = 704, PEER_NOT_ENABLED = 705,
  ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, NOT_SUPPORTED = 801, CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901, CAPTURE_MERGE = 902, CAPTURE_UNMATCHED = 903, CAPTURE_ISOLATION = 905,
  CAPTURE_IMPLICIT = 906, GRAPH_UPDATE_FAILURE = 910 };

#pragma GCC visibility push(default)

void tw_lock(void);
void tw_unlock(void);
static inline void tw_leave(const char *unused) { (void) unused; tw_unlock(); }
// Holds the lock to the end of the block.
#define LOCKED __attribute__((cleanup(tw_leave))) const char locked_ = 0; (void) locked_; tw_lock()

// Ends a program that cannot run here; the command says why.
__attribute__((noreturn)) void tw_unsuitable(const char *why);
void tw_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Says that a call is missing. Returns NOT_SUPPORTED.
int tw_unsupported(const char *name);

// ---- The device ----

// The simulated device, as the simulator describes it.
typedef struct {
  int64_t capability, multiprocessors, shared_per_block, shared_optin, shared_per_sm, warps_per_sm, blocks_per_sm;
  int64_t l2_bytes, memory_bytes, clock_khz, memory_clock_khz, bus_width;
  int64_t devices;
  char name[64];
} Device;

// Each of the devices, which are alike and share one address space.
const Device *tw_device(void);
bool tw_has_device(int device);
// The device that this thread uses.
int tw_current_device(void);
int tw_use_device(int device);
// Whether a device may use the memory of another, and the permission for the one that this thread uses.
bool tw_can_access(int device, int peer);
int tw_permit(int peer, bool permitted);
// cudaDeviceGetAttribute; CUdevice_attribute has the same numbers.
int tw_attribute(int attribute, int *value);
int tw_limit(int limit, size_t *value);
int tw_set_limit(int limit, size_t value);
// Null for a number that is none.
const char *tw_error_name(int error);
const char *tw_error_text(int error);

// Waits for all launches. Returns the error of a launch after which the context is of no use, as on a GPU.
int tw_settle(void);
// The same error, if it is known already.
int tw_sticky(void);
// The simulated time since the beginning, in nanoseconds, when all launches are over.
uint64_t tw_now(void);

// ---- Memory ----

// An allocation: device memory that this process and the simulator both have, each with its own copy.
typedef struct Allocation {
  uint64_t address;
  uint64_t bytes;
  char *host;      // this process's copy
  bool managed;    // the process may access it at any time, at the same address if it was allocated so
  bool ours;       // this process's copy is the newest; otherwise the simulator's is
  bool fetched;    // both copies are the newest
  bool shared;     // other processes have this process's copy too; it is the newest whenever no kernel runs
  bool imported;   // another process made it
  int device;
  uint64_t pool;
  bool ranged;     // its length changes, and it is not freed by its address
  bool by_graph;   // a node of a graph made it
  char *pages;     // of registered host memory, where the program has this process's copy; host is where it begins
  struct Allocation *next;
} Allocation;

int tw_allocate(uint64_t bytes, bool managed, void **address);
int tw_free(void *address);

// Addresses at which an allocation can be made again, and the place of this process's copy.
typedef struct { uint64_t address, offset; } Place;

// Takes addresses and frees them.
int tw_reserve(uint64_t bytes, Place *place);
// Makes an allocation at such addresses, if there is none.
int tw_allocate_at(const Place *place, uint64_t bytes);
// Makes the allocation there longer or shorter, or makes it, or frees it if it has no bytes; what it has remains.
int tw_resize(const Place *place, uint64_t bytes);
// Lets the device use host memory, and ends that.
int tw_register(void *host, uint64_t bytes);
int tw_unregister(void *host);
// The address under which kernels know host memory.
int tw_device_address(void *host, void **device);

// The description of an allocation for other processes, as long as CUDA's handles.
typedef struct { uint64_t mark, process, file, offset, bytes, pool, unused[2]; } Handle;

// Shares an allocation, by its first address, and opens one that another process shares, until that is freed here.
int tw_share(void *address, Handle *h);
int tw_open_shared(const Handle *h, void **address);
// The allocation that an address lies in, or null.
Allocation *tw_find(const void *address);
int tw_copy(void *to, const void *from, size_t bytes);
int tw_fill(void *to, unsigned value, size_t width, size_t count);

// ---- Programs ----

typedef struct { unsigned x, y, z; } Dim;
#define ONE ((Dim) {1, 1, 1})

typedef struct Module Module;

typedef struct { uint32_t offset, bytes; } Parameter;

typedef struct Kernel {
  Module *module;
  const char *name;
  const void *host;  // the stub in the host program that stands for it, or null
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

// The module of an image that stays where it is, which is read when a kernel of it is first needed.
Module *tw_module(const void *image);
// Reads a module from an image now: a fat binary, in its wrapper or not, or PTX text.
int tw_load(const void *image, Module **module);
int tw_load_file(const char *path, Module **module);
// Makes sure that a kernel is compiled.
int tw_kernel(Kernel *k);
// The kernel of that name.
int tw_kernel_named(Module *m, const char *name, Kernel **k);
int tw_variable(Module *m, const char *name, void **address, size_t *bytes);
// Where the host finds a __managed__ variable.
int tw_managed_variable(Module *m, const char *name, void **host);
// The bytes of a launch's parameters, from the address of each or from their bytes.
int tw_pack(Kernel *k, void **arguments, char **packed);
int tw_pack_bytes(Kernel *k, const void *bytes, size_t count, char **packed);
// Whether the device can hold what a launch asks for.
int tw_check(const Launch *l);
int tw_launch(const Launch *l);
// How many registers an assembler would take is not known.
#define REGISTERS 32
int tw_occupancy(Kernel *k, int threads, size_t shared);
int tw_set_dynamic_limit(Kernel *k, int bytes);
int tw_encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle,
    int promotion, int fill_mode);

// ---- Streams, events and graphs ----

typedef struct Graph Graph;

typedef struct {
  char *to;
  const char *from;
  size_t to_pitch, to_slice, from_pitch, from_slice;
  size_t width, height, depth;
} Copy;

typedef struct { char *to; size_t pitch; unsigned value; size_t element, width, height; } Fill;
typedef struct { void (*function)(void *); void *data; } Call;
// An allocation at addresses of its own; 'again': one that is still there is freed first.
typedef struct { Place place; uint64_t bytes; bool again; } GraphMemory;
// Graphs of which the word at an address chooses one: the first if it is not zero and otherwise the second, the first
// while it is not zero, or that of its number.
typedef struct { uint64_t word; enum { IF, WHILE, SWITCH } type; unsigned count; Graph **bodies; } Conditional;

// What a stream does at one time, or a node of a graph.
typedef struct {
  enum { NOTHING, COPY, FILL, LAUNCH, CALL, GRAPH, MEMORY, FREE_MEMORY, CONDITIONAL } kind;
  union {
    Copy copy;
    Fill fill;
    Launch launch;
    Call call;
    Graph *graph;
    GraphMemory memory;
    void *freed;
    Conditional conditional;
  };
} Work;

// A plain copy, in a struct of one row.
Work tw_copy_of(void *to, const void *from, size_t bytes);
Work tw_fill_of(void *to, unsigned value, size_t width, size_t count);
// An allocation, whose address is fixed now.
int tw_memory_of(uint64_t bytes, Work *w);
int tw_conditional_of(uint64_t word, int type, unsigned count, Work *w);
// Does the work now, or adds it to the graph that the stream captures. What it points to is taken over.
int tw_submit(void *stream, Work w);
int tw_do(const Work *w);
void tw_discard(Work *w);

typedef struct Event Event;

void *tw_stream_create(unsigned flags, int priority);
int tw_stream_destroy(void *stream);
// Waits for all work; not while the stream captures.
int tw_stream_wait(void *stream);
unsigned tw_stream_flags(void *stream);
int tw_stream_priority(void *stream);
int tw_stream_wait_event(void *stream, Event *e);

Event *tw_event_create(void);
int tw_event_record(Event *e, void *stream);
int tw_event_wait(Event *e);
int tw_event_elapsed(float *ms, const Event *from, const Event *to);

// Begins a capture into a graph, or into a new one.
int tw_begin_capture(void *stream, Graph *g);
int tw_end_capture(void *stream, Graph **g);
// 0 for none, 1 while one goes on, 2 if it has failed; the number and the graph of the capture.
int tw_capture_status(void *stream, uint64_t *id, Graph **g);

typedef struct Node {
  Work work;
  struct Node **dependencies;
  size_t count;
  struct Node *origin;  // the node of which this one is a copy
} Node;

// The word in the device that a condition's handle is the address of, and its value when the graph begins.
typedef struct Condition { uint64_t word; unsigned value; bool assigned; struct Condition *next; } Condition;

struct Graph {
  Node **nodes;
  size_t count, room;
  Condition *conditions;
};

Graph *tw_graph_create(void);
void tw_graph_destroy(Graph *g);
// Adds a node, which takes over what the work points to.
int tw_graph_add(Graph *g, Node **dependencies, size_t count, Work w, Node **node);
int tw_graph_depend(Graph *g, Node *node, Node *on);
Graph *tw_graph_clone(const Graph *g);
// A copy in an order that keeps the dependencies; 'again': each launch frees what the last one left.
int tw_graph_instantiate(const Graph *g, bool again, Graph **exec);
// A condition of the graph, which kernels set.
int tw_graph_condition(Graph *g, unsigned value, bool assigned, uint64_t *handle);
// By cudaGraphMemAttributeType: bytes that graphs have taken and that no trim has given back, or the most of them.
int tw_graph_memory(int attribute, uint64_t *bytes);
int tw_graph_memory_reset(int attribute);
void tw_graph_memory_trim(void);
// The copy of a node.
Node *tw_graph_copy_of(const Graph *g, const Node *origin);
// Replaces the work of a copy by that of a graph of the same form. Returns the first node that differs.
int tw_graph_update(Graph *exec, Graph *g, Node **different);
void tw_node_replace(Node *n, Work w);

#pragma GCC visibility pop
