// A program as CUDA 12 makes them: its calls have the forms that CUDA 13 changed; nvcc would register its kernel so.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct { unsigned x, y, z; } Dim;
typedef struct {
  char name[256], uuid[16], luid[8];
  unsigned mask;
  size_t memory, shared;
  int registers, warp;
  size_t pitch;
  int threads, block[3], grid[3], clock;
  size_t constant;
  int major, minor;
  size_t texture, texture_pitch;
  int overlap, multiprocessors;
  char others[1032 - 392];
} Properties;
typedef struct { void *to; size_t pitch; unsigned value, element; size_t width, height; } Fill;

int cudaRuntimeGetVersion(int *);
int cudaGetDeviceProperties_v2(Properties *, int);
int cudaMalloc(void **, size_t);
int cudaMemPrefetchAsync(const void *, size_t, int device, void *stream);
int cudaGraphCreate(void **, unsigned);
int cudaGraphAddMemsetNode(void **, void *, void **, size_t, const Fill *);
int cudaGraphAddDependencies(void *, void **from, void **to, size_t);
int cudaGraphAddDependencies_v2(void *, void **from, void **to, const void *edges, size_t);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *stream);
int cudaLaunchKernel(const void *, Dim, Dim, void **, size_t, void *stream);
int cudaMemcpy(void *, const void *, size_t, int);
void **__cudaRegisterFatBinary(const void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *);

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry add(.param .u64 p) {\n.reg .u64 %a, %o;\n"
    ".reg .u32 %t, %v;\nld.param.u64 %a, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nadd.u64 %a, %a, %o;\n"
    "ld.global.u32 %v, [%a];\nadd.u32 %v, %v, %t;\nst.global.u32 [%a], %v;\nret;\n}\n";
static const struct { int magic, version; const void *image; void *file; } wrapper = {0x466243b1, 1, ptx, NULL};
static char stub;

#define CHECK(call) do { int e_ = (call); if (e_) return printf("%s: %d\n", #call, e_), 1; } while (0)

int main(void) {
  void **image = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(image, &stub, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(image);
  int version;
  CHECK(cudaRuntimeGetVersion(&version));
  Properties p;
  CHECK(cudaGetDeviceProperties_v2(&p, 0));
  printf("CUDA %d: %d.%d, %d SMs\n", version / 1000, p.major, p.minor, p.multiprocessors);
  void *data, *graph, *nodes[3], *exec;
  CHECK(cudaMalloc(&data, 256));
  CHECK(cudaMemPrefetchAsync(data, 256, 0, NULL));
  CHECK(cudaGraphCreate(&graph, 0));
  // The node that was added first comes last.
  CHECK(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &(Fill) {data, 0, 5, 4, 64, 1}));
  CHECK(cudaGraphAddMemsetNode(&nodes[1], graph, NULL, 0, &(Fill) {data, 0, 9, 4, 64, 1}));
  CHECK(cudaGraphAddMemsetNode(&nodes[2], graph, NULL, 0, &(Fill) {data, 0, 3, 4, 64, 1}));
  CHECK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], 1));
  CHECK(cudaGraphAddDependencies_v2(graph, &nodes[2], &nodes[1], NULL, 1));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, NULL));
  void *arguments[] = {&data};
  CHECK(cudaLaunchKernel(&stub, (Dim) {1, 1, 1}, (Dim) {64, 1, 1}, arguments, 0, NULL));
  int32_t back[64];
  CHECK(cudaMemcpy(back, data, sizeof back, 2));
  printf("%d to %d\n", back[0], back[63]);
  return 0;
}
