// The CUDA runtime API: graphs.
#include "runtime.h"

Error kernel_work(const KernelParameters *p, Work *w) {
  Launch l = {.grid = p->grid, .block = p->block, .cluster = ONE, .shared = p->shared};
  return prepare(p->function, l, p->arguments, p->extra, w);
}

Error fill_work(const FillParameters *p, Work *w) {
  if (p->element != 1 && p->element != 2 && p->element != 4) return INVALID_VALUE;
  *w = (Work) {FILL, .fill = {.to = p->to, .pitch = p->pitch, .value = p->value, .element = p->element,
      .width = p->width, .height = p->height}};
  return SUCCESS;
}

Error add_node(Node **n, Graph *g, Node **dependencies, size_t count, Error e, Work w) {
  if (e == SUCCESS && (g == NULL || n == NULL)) e = INVALID_VALUE;
  return done(e == SUCCESS ? tw_graph_add(g, dependencies, count, w, n) : e);
}

API Error cudaGraphCreate(Graph **g, unsigned flags) { (void) flags; *g = tw_graph_create(); return done(SUCCESS); }
API Error cudaGraphDestroy(Graph *g) { tw_graph_destroy(g); return done(SUCCESS); }

API Error cudaGraphAddKernelNode(Node **n, Graph *g, Node **dependencies, size_t count, const KernelParameters *p) {
  Work w;
  Error e = kernel_work(p, &w);
  return add_node(n, g, dependencies, count, e, w);
}

API Error cudaGraphAddMemcpyNode(Node **n, Graph *g, Node **dependencies, size_t count, const Copy3D *c) {
  Work w;
  Error e = copy_3d(c, &w);
  return add_node(n, g, dependencies, count, e, w);
}

API Error cudaGraphAddMemcpyNode1D(Node **n, Graph *g, Node **dependencies, size_t count, void *to, const void *from,
    size_t bytes, int kind) {
  (void) kind;
  return add_node(n, g, dependencies, count, SUCCESS, tw_copy_of(to, from, bytes));
}

API Error cudaGraphAddMemsetNode(Node **n, Graph *g, Node **dependencies, size_t count, const FillParameters *p) {
  Work w;
  Error e = fill_work(p, &w);
  return add_node(n, g, dependencies, count, e, w);
}

API Error cudaGraphAddHostNode(Node **n, Graph *g, Node **dependencies, size_t count, const Call *c) {
  return add_node(n, g, dependencies, count, SUCCESS, (Work) {CALL, .call = *c});
}

API Error cudaGraphAddEmptyNode(Node **n, Graph *g, Node **dependencies, size_t count) {
  return add_node(n, g, dependencies, count, SUCCESS, (Work) {NOTHING});
}

API Error cudaGraphAddChildGraphNode(Node **n, Graph *g, Node **dependencies, size_t count, const Graph *child) {
  return add_node(n, g, dependencies, count, SUCCESS, (Work) {GRAPH, .graph = tw_graph_clone(child)});
}

static Error depend(Graph *g, Node **from, Node **to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    Error e = tw_graph_depend(g, to[i], from[i]);
    if (e != SUCCESS) return done(e);
  }
  return done(SUCCESS);
}

#if CUDA_VERSION >= 13
API Error cudaGraphAddDependencies(Graph *g, Node **from, Node **to, const void *edges, size_t count) {
  if (edges != NULL) return done(tw_unsupported("cudaGraphAddDependencies with edge data"));
  return depend(g, from, to, count);
}
#else
API Error cudaGraphAddDependencies(Graph *g, Node **from, Node **to, size_t count) {
  return depend(g, from, to, count);
}
#endif

API Error cudaGraphGetNodes(const Graph *g, Node **nodes, size_t *count) {
  if (nodes != NULL) {
    for (size_t i = 0; i < *count; i++) nodes[i] = i < g->count ? g->nodes[i] : NULL;
  }
  if (nodes == NULL || *count > g->count) *count = g->count;
  return done(SUCCESS);
}

API Error cudaGraphNodeGetType(const Node *n, int *type) {
  static const int types[] = {[NOTHING] = 5, [COPY] = 1, [FILL] = 2, [LAUNCH] = 0, [CALL] = 3, [GRAPH] = 4,
      [MEMORY] = 10, [FREE_MEMORY] = 11, [CONDITIONAL] = 13};
  *type = types[n->work.kind];
  return done(SUCCESS);
}

API Error cudaGraphClone(Graph **copy, const Graph *g) { *copy = tw_graph_clone(g); return done(SUCCESS); }

API Error cudaGraphNodeFindInClone(Node **n, const Node *original, const Graph *copy) {
  *n = tw_graph_copy_of(copy, original);
  return done(*n == NULL ? INVALID_VALUE : SUCCESS);
}

API Error cudaGraphInstantiate(Graph **exec, const Graph *g, uint64_t flags) {
  // 1: free what is left at each launch.
  return done(tw_graph_instantiate(g, flags & 1, exec));
}
API Error cudaGraphInstantiateWithFlags(Graph **exec, const Graph *g, uint64_t flags) {
  return cudaGraphInstantiate(exec, g, flags);
}
API Error cudaGraphUpload(Graph *exec, Stream s) { (void) exec; (void) s; return done(SUCCESS); }
API Error cudaGraphExecDestroy(Graph *exec) { return cudaGraphDestroy(exec); }

API Error cudaGraphLaunch(const Graph *exec, Stream s) {
  if (exec == NULL) return done(INVALID_VALUE);
  bool captured = tw_capture_status(s, NULL, NULL) != 0;
  Work w = {GRAPH, .graph = captured ? tw_graph_clone(exec) : (Graph *) exec};
  return done(captured ? tw_submit(s, w) : tw_do(&w));
}

typedef struct { int result; Node *node, *from; } UpdateResult;

API Error cudaGraphExecUpdate(Graph *exec, Graph *g, UpdateResult *r) {
  // 0: the update succeeded, 2: the topology changed.
  *r = (UpdateResult) {0};
  Error e = tw_graph_update(exec, g, &r->node);
  if (e != SUCCESS) r->result = 2;
  return done(e);
}

// The parameters of a node of a graph, or of its copy in an executable graph.
static Error set(Node *n, int kind, Error e, Work w) {
  if (e == SUCCESS && (n == NULL || (int) n->work.kind != kind)) {
    tw_discard(&w);
    e = INVALID_VALUE;
  }
  if (e == SUCCESS) tw_node_replace(n, w);
  return done(e);
}

API Error cudaGraphKernelNodeSetParams(Node *n, const KernelParameters *p) {
  Work w;
  Error e = kernel_work(p, &w);
  return set(n, LAUNCH, e, w);
}
API Error cudaGraphExecKernelNodeSetParams(Graph *exec, const Node *n, const KernelParameters *p) {
  return cudaGraphKernelNodeSetParams(tw_graph_copy_of(exec, n), p);
}
API Error cudaGraphMemcpyNodeSetParams(Node *n, const Copy3D *c) {
  Work w;
  Error e = copy_3d(c, &w);
  return set(n, COPY, e, w);
}
API Error cudaGraphExecMemcpyNodeSetParams(Graph *exec, const Node *n, const Copy3D *c) {
  return cudaGraphMemcpyNodeSetParams(tw_graph_copy_of(exec, n), c);
}
API Error cudaGraphMemcpyNodeSetParams1D(Node *n, void *to, const void *from, size_t bytes, int kind) {
  (void) kind;
  return set(n, COPY, SUCCESS, tw_copy_of(to, from, bytes));
}
API Error cudaGraphExecMemcpyNodeSetParams1D(Graph *exec, const Node *n, void *to, const void *from, size_t bytes,
    int kind) {
  return cudaGraphMemcpyNodeSetParams1D(tw_graph_copy_of(exec, n), to, from, bytes, kind);
}
API Error cudaGraphMemsetNodeSetParams(Node *n, const FillParameters *p) {
  Work w;
  Error e = fill_work(p, &w);
  return set(n, FILL, e, w);
}
API Error cudaGraphExecMemsetNodeSetParams(Graph *exec, const Node *n, const FillParameters *p) {
  return cudaGraphMemsetNodeSetParams(tw_graph_copy_of(exec, n), p);
}
API Error cudaGraphHostNodeSetParams(Node *n, const Call *c) {
  return set(n, CALL, SUCCESS, (Work) {CALL, .call = *c});
}
API Error cudaGraphExecHostNodeSetParams(Graph *exec, const Node *n, const Call *c) {
  return cudaGraphHostNodeSetParams(tw_graph_copy_of(exec, n), c);
}
