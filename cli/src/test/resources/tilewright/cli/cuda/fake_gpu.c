// A CUDA runtime and a driver whose GPU knows one kernel, which this process executes.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned x, y, z; } Dim;

#ifdef DRIVER
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) {
  if (function == NULL || index > 1) return 1;
  *offset = 8 * index;
  *bytes = index == 0 ? 8 : 4;
  return 0;
}
#else
static int bias;

int cudaMalloc(void **p, size_t bytes) { *p = malloc(bytes); return 0; }
int cudaFree(void *p) { free(p); return 0; }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) { (void) kind; memcpy(to, from, n); return 0; }
int cudaMemcpyToSymbol(const void *host, const void *from, size_t n, size_t offset, int kind) {
  (void) host; (void) offset; (void) kind;
  memcpy(&bias, from, n);
  return 0;
}
int cudaGetSymbolAddress(void **p, const void *host) { (void) host; *p = &bias; return 0; }
int cudaDeviceSynchronize(void) { return 0; }
int cudaStreamIsCapturing(void *stream, int *status) { *status = stream != NULL; return 0; }
int cudaGetFuncBySymbol(void **function, const void *host) { *function = (void *) host; return 0; }
int cudaLaunchKernel(const void *host, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  (void) host; (void) grid; (void) shared; (void) stream;
  int *p = *(int **) arguments[0], n = *(int *) arguments[1];
  for (unsigned t = 0; t < block.x; t++) p[t] += (int) t + n + bias;
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
