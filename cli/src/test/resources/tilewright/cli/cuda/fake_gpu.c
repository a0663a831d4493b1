// A CUDA runtime and a driver whose GPU knows one kernel, which this process executes.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned x, y, z; } Dim;

static int bias;

static void add(int *p, int n, unsigned threads) {
  for (unsigned t = 0; t < threads; t++) p[t] += (int) t + n + bias;
}

#ifdef DRIVER
static int module, kernel;

int cuMemcpy(void *to, const void *from, size_t n) { memcpy(to, from, n); return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuStreamIsCapturing(void *stream, int *status) { *status = stream != NULL; return 0; }
int cuModuleLoadData(void **m, const void *image) { (void) image; *m = &module; return 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) {
  *f = &kernel;
  return m != &module || strcmp(name, "add") != 0;
}
int cuModuleGetGlobal_v2(void **p, size_t *bytes, void *m, const char *name) {
  *p = &bias;
  *bytes = sizeof bias;
  return m != &module || strcmp(name, "bias") != 0;
}
int cuMemAlloc_v2(void **p, size_t bytes) { *p = malloc(bytes); return 0; }
int cuMemFree_v2(void *p) { free(p); return 0; }
int cuMemcpyHtoD_v2(void *to, const void *from, size_t n) { memcpy(to, from, n); return 0; }
int cuMemcpyDtoH_v2(void *to, const void *from, size_t n) { memcpy(to, from, n); return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void *stream, void **arguments, void **extra) {
  (void) gx; (void) gy; (void) gz; (void) by; (void) bz; (void) shared; (void) stream;
  char *side_by_side = extra != NULL ? extra[1] : NULL;
  int *p = *(int **) (side_by_side != NULL ? side_by_side : arguments[0]);
  int n = *(int *) (side_by_side != NULL ? side_by_side + 8 : arguments[1]);
  add(p, n, bx);
  return f != &kernel;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) {
  if (function == NULL || index > 1) return 1;
  *offset = 8 * index;
  *bytes = index == 0 ? 8 : 4;
  return 0;
}
#else
int cudaMalloc(void **p, size_t bytes) { *p = malloc(bytes); return 0; }
int cudaFree(void *p) { free(p); return 0; }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) { (void) kind; memcpy(to, from, n); return 0; }
int cudaMemcpyToSymbol(const void *host, const void *from, size_t n, size_t offset, int kind) {
  (void) host; (void) offset; (void) kind;
  memcpy(&bias, from, n);
  return 0;
}
int cudaGetSymbolAddress(void **p, const void *host) { (void) host; *p = &bias; return 0; }
int cudaGetFuncBySymbol(void **function, const void *host) { *function = (void *) host; return 0; }
int cudaLaunchKernel(const void *host, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  (void) host; (void) grid; (void) shared; (void) stream;
  add(*(int **) arguments[0], *(int *) arguments[1], block.x);
  return 0;
}
void **__cudaRegisterFatBinary(const void *wrapper) { (void) wrapper; return calloc(1, 8); }
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit, void *tid,
    void *bid, void *block, void *grid, int *warp) {
  (void) handle; (void) host; (void) device; (void) name; (void) limit; (void) tid; (void) bid; (void) block;
  (void) grid; (void) warp;
}
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
    int constant, int global) {
  (void) handle; (void) host; (void) device; (void) name; (void) external; (void) bytes; (void) constant; (void) global;
}
#endif
