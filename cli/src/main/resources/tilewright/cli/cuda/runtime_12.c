// The CUDA runtime API: calls that CUDA 12 has beside those of CUDA 13, or under other names.
#include "runtime.h"

Error cudaDeviceGetLimit(size_t *value, int limit);
Error cudaDeviceSetLimit(int limit, size_t value);
Error cudaGraphAddDependencies(Graph *g, Node **from, Node **to, size_t count);
Error cudaStreamGetCaptureInfo_v2(Stream s, int *status, uint64_t *id, Graph **g, Node ***dependencies, size_t *count);

API Error cudaThreadGetLimit(size_t *value, int limit) { return cudaDeviceGetLimit(value, limit); }
API Error cudaThreadSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }

API Error cudaGraphAddDependencies_v2(Graph *g, Node **from, Node **to, const void *edges, size_t count) {
  if (edges != NULL) return done(tw_unsupported("cudaGraphAddDependencies_v2 with edge data"));
  return cudaGraphAddDependencies(g, from, to, count);
}

API Error cudaStreamGetCaptureInfo_v3(Stream s, int *status, uint64_t *id, Graph **g, Node ***dependencies,
    void **edges, size_t *count) {
  if (edges != NULL) *edges = NULL;
  return cudaStreamGetCaptureInfo_v2(s, status, id, g, dependencies, count);
}

// Hints, which change nothing here.
API Error cudaMemAdvise_v2(const void *p, size_t n) { (void) p; (void) n; return SUCCESS; }
API Error cudaMemPrefetchAsync_v2(const void *p, size_t n) { (void) p; (void) n; return SUCCESS; }
