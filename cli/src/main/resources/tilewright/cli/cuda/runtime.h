// What the parts of the CUDA runtime API share.
#pragma once
#include "bridge.h"

typedef int Error;
typedef void *Stream;

Error cudaMallocAsync(void **p, size_t n, Stream s);
// A call's end: remembers its error for cudaGetLastError.
Error done(Error e);
// The kernel of a stub in the host program, or of its handle; null if it is neither.
Kernel *kernel_of(const void *function);
// A launch with its parameters packed.
Error prepare(const void *function, Launch l, void **arguments, void **extra, Work *w);

typedef struct { void *ptr; size_t pitch, xsize, ysize; } Pitched;
typedef struct { size_t width, height, depth; } Extent;
typedef struct {
  void *from_array; size_t from_x, from_y, from_z; Pitched from;
  void *to_array; size_t to_x, to_y, to_z; Pitched to;
  Extent extent; int kind;
} Copy3D;

// A copy in three dimensions; arrays are not supported.
Error copy_3d(const Copy3D *c, Work *w);

// Parameters of nodes.
typedef struct {
  const void *function;
  Dim grid, block;
  unsigned shared;
  void **arguments, **extra;
} KernelParameters;

typedef struct { char *to; size_t pitch; unsigned value, element; size_t width, height; } FillParameters;

Error kernel_work(const KernelParameters *p, Work *w);
Error fill_work(const FillParameters *p, Work *w);
// Adds a node, unless there was an error before.
Error add_node(Node **n, Graph *g, Node **dependencies, size_t count, Error e, Work w);
