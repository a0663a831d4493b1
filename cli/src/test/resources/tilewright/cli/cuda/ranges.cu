// Virtual memory: a range of addresses that is mapped in two steps, and a module that is linked from PTX.
#include <cuda.h>
#include <cstdio>
__global__ void fill(int* p, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}
static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry seven(.param .u64 p) {
  .reg .b64 %rd0;
  ld.param.u64 %rd0, [p];
  st.global.u32 [%rd0], 7;
  ret;
}
)";
static const char* text(CUresult r) {
  const char* name;
  return cuGetErrorName(r, &name) == CUDA_SUCCESS ? name : "?";
}
static CUmemAllocationProp device() {
  CUmemAllocationProp p = {};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return p;
}
static CUresult map(CUdeviceptr at, size_t bytes) {
  CUmemAllocationProp p = device();
  CUmemGenericAllocationHandle memory;
  CUresult r = cuMemCreate(&memory, bytes, &p, 0);
  if (r != CUDA_SUCCESS) return r;
  r = cuMemMap(at, bytes, 0, memory, 0);
  cuMemRelease(memory);
  CUmemAccessDesc access = {p.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return r == CUDA_SUCCESS ? cuMemSetAccess(at, bytes, &access, 1) : r;
}
static void link(CUdeviceptr p) {
  CUlinkState state;
  CUmodule module;
  CUfunction function;
  void* image;
  size_t bytes;
  int value;
  cuLinkCreate(0, nullptr, nullptr, &state);
  cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*) ptx, sizeof ptx, "seven", 0, nullptr, nullptr);
  printf("complete: %s\n", text(cuLinkComplete(state, &image, &bytes)));
  cuModuleLoadData(&module, image);
  cuLinkDestroy(state);
  cuModuleGetFunction(&function, module, "seven");
  void* arguments[] = {&p};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH(&value, p, sizeof value);
  printf("linked: %d\n", value);
}
// The sum of three steps' numbers.
static int total(int* host, CUdeviceptr from, int n) {
  int sum = 0;
  cuMemcpyDtoH(host, from, 3 * n * sizeof(int));
  for (int i = 0; i < 3 * n; i++) sum += host[i];
  return sum;
}
int main(int count, char** words) {
  CUmemAllocationProp p = device();
  size_t step;
  CUdeviceptr range;
  cudaFree(0);
  cuMemGetAllocationGranularity(&step, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  printf("reserve: %s\n", text(cuMemAddressReserve(&range, 5 * step, 0, 0, 0)));
  printf("half a step: %s\n", text(map(range, step / 2)));
  printf("map: %s\n", text(map(range, step)));
  int n = step / sizeof(int);
  cuMemsetD32(range, 5, n);
  fill<<<n / 256, 256>>>((int*) range, n, 1);
  printf("map more: %s\n", text(map(range + step, 2 * step)));
  cuMemsetD32(range + step, 1, 2 * n);
  // One launch over both parts; the first has kept its values.
  fill<<<3 * n / 256, 256>>>((int*) range, 3 * n, 2);
  int* host = new int[3 * n];
  printf("%d of %d\n", total(host, range, n), (5 + 1 + 2) * n + 2 * (1 + 2) * n);
  // What the host writes then, in a copy that the device has too, and what a kernel adds behind that.
  cuMemsetD32(range + step, 0, n);
  printf("%d\n", total(host, range, n) / n);
  fill<<<n / 256, 256>>>((int*) range, n, 1);
  printf("%d\n", total(host, range, n) / n);
  printf("with a gap: %s\n", text(map(range + 4 * step, step)));
  link(range);
  printf("unmap: %s\n", text(cuMemUnmap(range + step, 2 * step)));
  printf("no allocation: %s\n", text(cuMemFree(range)));
  printf("still in use: %s\n", text(cuMemAddressFree(range, 5 * step)));
  fill<<<1, 32>>>((int*) range + (count > 1 ? n : 0), 32, 1);
  printf("behind: %s\n", text(cuCtxSynchronize()));
  printf("unmap all: %s\n", text(cuMemUnmap(range, step)));
  printf("free: %s\n", text(cuMemAddressFree(range, 5 * step)));
}
