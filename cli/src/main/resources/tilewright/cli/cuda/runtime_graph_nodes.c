// The CUDA runtime API: nodes of graphs that allocate and free memory or choose a graph, and nodes by their type.
#include "runtime.h"

typedef struct { int type, id; } Location;

// cudaMemAllocNodeParams, which begins with cudaMemPoolProps.
typedef struct {
  int type, handle_types;
  Location location;
  void *windows_security;
  size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
  const void *accesses;
  size_t access_count, bytes;
  void *address;
} MemoryParameters;

// cudaConditionalNodeParams.
typedef struct { uint64_t handle; int type; unsigned count; Graph **bodies; } ConditionalParameters;

// cudaGraphNodeParams.
typedef struct {
  int type, reserved[3];
  union {
    char bytes[29 * 8];
    KernelParameters kernel;
    struct { int flags, reserved[3]; Copy3D copy; } copy;
    FillParameters fill;
    Call call;
    struct { const Graph *graph; int owner; } child;
    MemoryParameters memory;
    void *freed;
    ConditionalParameters conditional;
  };
  int64_t reserved_2;
} NodeParameters;

static Error memory_work(MemoryParameters *p, Work *w) {
  // 1: a device.
  if (p->location.type != 1 || !tw_has_device(p->location.id)) return INVALID_VALUE;
  Error e = tw_memory_of(p->bytes, w);
  if (e == SUCCESS) p->address = (void *) w->memory.place.address;
  return e;
}

static Error conditional_work(ConditionalParameters *p, Work *w) {
  Error e = tw_conditional_of(p->handle, p->type, p->count, w);
  if (e == SUCCESS) p->bodies = w->conditional.bodies;
  return e;
}

API Error cudaGraphAddMemAllocNode(Node **n, Graph *g, Node **dependencies, size_t count, MemoryParameters *p) {
  Work w;
  Error e = memory_work(p, &w);
  return add_node(n, g, dependencies, count, e, w);
}

API Error cudaGraphMemAllocNodeGetParams(const Node *n, MemoryParameters *p) {
  if (n == NULL || p == NULL || n->work.kind != MEMORY) return done(INVALID_VALUE);
  *p = (MemoryParameters) {.type = 1, .location = {1, 0}, .bytes = n->work.memory.bytes,
      .address = (void *) n->work.memory.place.address};
  return done(SUCCESS);
}

API Error cudaGraphAddMemFreeNode(Node **n, Graph *g, Node **dependencies, size_t count, void *address) {
  return add_node(n, g, dependencies, count, SUCCESS, (Work) {FREE_MEMORY, .freed = address});
}

API Error cudaGraphMemFreeNodeGetParams(const Node *n, void **address) {
  if (n == NULL || address == NULL || n->work.kind != FREE_MEMORY) return done(INVALID_VALUE);
  *address = n->work.freed;
  return done(SUCCESS);
}

API Error cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value) {
  return done(tw_has_device(device) ? tw_graph_memory(attribute, value) : INVALID_DEVICE);
}

// Only the greatest values can be set, to nothing.
API Error cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value) {
  if (!tw_has_device(device)) return done(INVALID_DEVICE);
  return done(value == NULL || *value != 0 ? INVALID_VALUE : tw_graph_memory_reset(attribute));
}

API Error cudaDeviceGraphMemTrim(int device) {
  if (!tw_has_device(device)) return done(INVALID_DEVICE);
  tw_graph_memory_trim();
  return done(SUCCESS);
}

API Error cudaGraphConditionalHandleCreate(uint64_t *handle, Graph *g, unsigned value, unsigned flags) {
  // 1: the value is assigned at each launch.
  return done(tw_graph_condition(g, value, flags & 1, handle));
}

static Error work_of(NodeParameters *p, Work *w) {
  switch (p->type) {
    case 0: return kernel_work(&p->kernel, w);
    case 1: return copy_3d(&p->copy.copy, w);
    case 2: return fill_work(&p->fill, w);
    case 3: *w = (Work) {CALL, .call = p->call}; return SUCCESS;
    case 4:
      // 1: the parent takes the graph over.
      if (p->child.graph == NULL) return INVALID_VALUE;
      *w = (Work) {GRAPH, .graph = p->child.owner == 1 ? (Graph *) p->child.graph : tw_graph_clone(p->child.graph)};
      return SUCCESS;
    case 5: *w = (Work) {NOTHING}; return SUCCESS;
    case 10: return memory_work(&p->memory, w);
    case 11: *w = (Work) {FREE_MEMORY, .freed = p->freed}; return SUCCESS;
    case 13: return conditional_work(&p->conditional, w);
    default: return tw_unsupported("cudaGraphAddNode for an event or a semaphore");
  }
}

static Error add_any(Node **n, Graph *g, Node **dependencies, const void *edges, size_t count, NodeParameters *p) {
  if (edges != NULL) return done(tw_unsupported("cudaGraphAddNode with edge data"));
  Work w;
  Error e = p == NULL ? INVALID_VALUE : work_of(p, &w);
  return add_node(n, g, dependencies, count, e, w);
}

#if CUDA_VERSION >= 13
API Error cudaGraphAddNode(Node **n, Graph *g, Node **dependencies, const void *edges, size_t count,
    NodeParameters *p) {
  return add_any(n, g, dependencies, edges, count, p);
}
#else
API Error cudaGraphAddNode(Node **n, Graph *g, Node **dependencies, size_t count, NodeParameters *p) {
  return add_any(n, g, dependencies, NULL, count, p);
}
API Error cudaGraphAddNode_v2(Node **n, Graph *g, Node **dependencies, const void *edges, size_t count,
    NodeParameters *p) {
  return add_any(n, g, dependencies, edges, count, p);
}
#endif
