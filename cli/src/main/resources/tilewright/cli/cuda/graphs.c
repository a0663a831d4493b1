// Work, and graphs of it. A graph that is launched does its nodes one after the other.
#include "protocol.h"
#include <stdlib.h>
#include <string.h>

Work tw_copy_of(void *to, const void *from, size_t bytes) {
  return (Work) {COPY, .copy = {.to = to, .from = from, .to_pitch = bytes, .from_pitch = bytes, .width = bytes,
      .height = 1, .depth = 1}};
}

Work tw_fill_of(void *to, unsigned value, size_t width, size_t count) {
  return (Work) {FILL, .fill = {.to = to, .value = value, .element = width, .width = count, .height = 1}};
}

static int do_copy(const Copy *c) {
  for (size_t z = 0; z < c->depth; z++) {
    char *to = c->to + z * c->to_slice;
    const char *from = c->from + z * c->from_slice;
    bool dense = c->width == c->to_pitch && c->width == c->from_pitch;
    for (size_t y = 0; y < (dense ? 1 : c->height); y++) {
      int e = tw_copy(to + y * c->to_pitch, from + y * c->from_pitch, dense ? c->width * c->height : c->width);
      if (e != SUCCESS) return e;
    }
  }
  return SUCCESS;
}

static int do_fill(const Fill *f) {
  for (size_t y = 0; y < f->height; y++) {
    int e = tw_fill(f->to + y * f->pitch, f->value, f->element, f->width);
    if (e != SUCCESS) return e;
  }
  return SUCCESS;
}

static int do_call(const Call *c) {
  int e = tw_settle();
  if (e == SUCCESS) c->function(c->data);
  return e;
}

static int do_graph(const Graph *g) {
  for (const Condition *c = g->conditions; c != NULL; c = c->next) {
    int e = c->assigned ? tw_copy((void *) c->word, &c->value, sizeof c->value) : SUCCESS;
    if (e != SUCCESS) return e;
  }
  for (size_t i = 0; i < g->count; i++) {
    int e = tw_do(&g->nodes[i]->work);
    if (e != SUCCESS) return e;
  }
  return SUCCESS;
}

static int do_conditional(const Conditional *c) {
  unsigned value;
  do {
    int e = tw_copy(&value, (void *) c->word, sizeof value);
    if (e != SUCCESS) return e;
    unsigned body = c->type == SWITCH ? value : value == 0;
    if (body >= c->count) return SUCCESS;
    e = do_graph(c->bodies[body]);
    if (e != SUCCESS) return e;
  } while (c->type == WHILE);
  return SUCCESS;
}

int tw_do(const Work *w) {
  switch (w->kind) {
    case COPY: return do_copy(&w->copy);
    case FILL: return do_fill(&w->fill);
    case LAUNCH: return tw_launch(&w->launch);
    case CALL: return do_call(&w->call);
    case GRAPH: return do_graph(w->graph);
    case MEMORY: return do_memory(&w->memory);
    case FREE_MEMORY: return tw_free(w->freed);
    case CONDITIONAL: return do_conditional(&w->conditional);
    default: return SUCCESS;
  }
}

void tw_discard(Work *w) {
  if (w->kind == LAUNCH) free(w->launch.parameters);
  if (w->kind == GRAPH) tw_graph_destroy(w->graph);
  if (w->kind != CONDITIONAL) return;
  for (unsigned i = 0; i < w->conditional.count; i++) tw_graph_destroy(w->conditional.bodies[i]);
  free(w->conditional.bodies);
}

static Work duplicate(const Work *w) {
  Work copy = *w;
  if (w->kind == LAUNCH) {
    copy.launch.parameters = malloc(w->launch.kernel->parameter_bytes + 1);
    memcpy(copy.launch.parameters, w->launch.parameters, w->launch.kernel->parameter_bytes + 1);
  }
  if (w->kind == GRAPH) copy.graph = tw_graph_clone(w->graph);
  if (w->kind == CONDITIONAL) {
    copy.conditional.bodies = calloc(w->conditional.count, sizeof *copy.conditional.bodies);
    for (unsigned i = 0; i < w->conditional.count; i++) {
      copy.conditional.bodies[i] = tw_graph_clone(w->conditional.bodies[i]);
    }
  }
  return copy;
}

int tw_conditional_of(uint64_t word, int type, unsigned count, Work *w) {
  unsigned most = type == IF ? 2 : type == WHILE ? 1 : UINT16_MAX;
  if (tw_find((void *) word) == NULL || type < IF || type > SWITCH || count == 0 || count > most) return INVALID_VALUE;
  *w = (Work) {CONDITIONAL, .conditional = {.word = word, .type = type, .count = count}};
  w->conditional.bodies = calloc(count, sizeof *w->conditional.bodies);
  for (unsigned i = 0; i < count; i++) w->conditional.bodies[i] = tw_graph_create();
  return SUCCESS;
}

Graph *tw_graph_create(void) { return calloc(1, sizeof(Graph)); }

int tw_graph_condition(Graph *g, unsigned value, bool assigned, uint64_t *handle) {
  if (g == NULL || handle == NULL) return INVALID_VALUE;
  void *word;
  int e = tw_allocate(sizeof value, false, &word);
  if (e == SUCCESS) e = tw_copy(word, &value, sizeof value);
  if (e != SUCCESS) return e;
  Condition *c = calloc(1, sizeof *c);
  *c = (Condition) {.word = (uint64_t) word, .value = value, .assigned = assigned, .next = g->conditions};
  g->conditions = c;
  *handle = c->word;
  return SUCCESS;
}

void tw_graph_destroy(Graph *g) {
  for (size_t i = 0; i < g->count; i++) {
    tw_discard(&g->nodes[i]->work);
    free(g->nodes[i]->dependencies);
    free(g->nodes[i]);
  }
  for (Condition *c = g->conditions, *next; c != NULL; c = next) {
    next = c->next;
    free(c);
  }
  free(g->nodes);
  free(g);
}

// The position of a node; the number of nodes if it is none of them.
static size_t position(const Graph *g, const Node *n) {
  size_t i = 0;
  while (i < g->count && g->nodes[i] != n) i++;
  return i;
}

int tw_graph_depend(Graph *g, Node *node, Node *on) {
  if (position(g, node) == g->count || position(g, on) == g->count || node == on) return INVALID_VALUE;
  node->dependencies = realloc(node->dependencies, (node->count + 1) * sizeof *node->dependencies);
  node->dependencies[node->count++] = on;
  return SUCCESS;
}

int tw_graph_add(Graph *g, Node **dependencies, size_t count, Work w, Node **node) {
  for (size_t i = 0; i < count; i++) {
    if (position(g, dependencies[i]) < g->count) continue;
    tw_discard(&w);
    return INVALID_VALUE;
  }
  if (g->count == g->room) {
    g->room = 2 * g->room + 8;
    g->nodes = realloc(g->nodes, g->room * sizeof *g->nodes);
  }
  Node *n = calloc(1, sizeof *n);
  n->work = w;
  g->nodes[g->count++] = n;
  for (size_t i = 0; i < count; i++) tw_graph_depend(g, n, dependencies[i]);
  if (node != NULL) *node = n;
  return SUCCESS;
}

Graph *tw_graph_clone(const Graph *g) {
  Graph *copy = tw_graph_create();
  for (size_t i = 0; i < g->count; i++) {
    Node *n;
    tw_graph_add(copy, NULL, 0, duplicate(&g->nodes[i]->work), &n);
    n->origin = g->nodes[i];
  }
  for (size_t i = 0; i < g->count; i++) {
    const Node *n = g->nodes[i];
    for (size_t d = 0; d < n->count; d++) {
      tw_graph_depend(copy, copy->nodes[i], copy->nodes[position(g, n->dependencies[d])]);
    }
  }
  for (const Condition *c = g->conditions; c != NULL; c = c->next) {
    Condition *other = calloc(1, sizeof *other);
    *other = *c;
    other->next = copy->conditions;
    copy->conditions = other;
  }
  return copy;
}

// Whether all that a node depends on is among the first nodes.
static bool ready(const Graph *g, const Node *n, size_t first) {
  for (size_t d = 0; d < n->count; d++) if (position(g, n->dependencies[d]) >= first) return false;
  return true;
}

// Puts the nodes into an order that keeps the dependencies.
static int sort(Graph *copy);

static int sort_within(Work *w) {
  int e = SUCCESS;
  if (w->kind == GRAPH) e = sort(w->graph);
  for (unsigned i = 0; w->kind == CONDITIONAL && i < w->conditional.count && e == SUCCESS; i++) {
    e = sort(w->conditional.bodies[i]);
  }
  return e;
}

static int sort(Graph *copy) {
  for (size_t done = 0; done < copy->count; done++) {
    size_t next = done;
    while (next < copy->count && !ready(copy, copy->nodes[next], done)) next++;
    if (next == copy->count) return INVALID_VALUE;
    Node *n = copy->nodes[next];
    int e = sort_within(&n->work);
    if (e != SUCCESS) return e;
    memmove(copy->nodes + done + 1, copy->nodes + done, (next - done) * sizeof n);
    copy->nodes[done] = n;
  }
  return SUCCESS;
}

int tw_graph_instantiate(const Graph *g, bool again, Graph **exec) {
  Graph *copy = tw_graph_clone(g);
  int e = sort(copy);
  if (e != SUCCESS) {
    tw_graph_destroy(copy);
    return e;
  }
  for (size_t i = 0; i < copy->count; i++) {
    if (copy->nodes[i]->work.kind == MEMORY) copy->nodes[i]->work.memory.again = again;
  }
  *exec = copy;
  return SUCCESS;
}

Node *tw_graph_copy_of(const Graph *g, const Node *origin) {
  for (size_t i = 0; i < g->count; i++) if (g->nodes[i]->origin == origin) return g->nodes[i];
  return NULL;
}

void tw_node_replace(Node *n, Work w) {
  tw_discard(&n->work);
  n->work = w;
}

int tw_graph_update(Graph *exec, Graph *g, Node **different) {
  Graph *other;
  *different = NULL;
  int e = tw_graph_instantiate(g, false, &other);
  if (e != SUCCESS) return e;
  size_t same = 0;
  while (same < exec->count && same < other->count
      && exec->nodes[same]->work.kind == other->nodes[same]->work.kind) same++;
  if (same < exec->count || same < other->count) {
    *different = same < other->count ? other->nodes[same]->origin : NULL;
    tw_graph_destroy(other);
    return GRAPH_UPDATE_FAILURE;
  }
  for (size_t i = 0; i < exec->count; i++) {
    tw_node_replace(exec->nodes[i], other->nodes[i]->work);
    other->nodes[i]->work = (Work) {NOTHING};
  }
  tw_graph_destroy(other);
  return SUCCESS;
}
