// The driver API: a module from PTX text, its variable, a launch by either list of parameters, and errors.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
static const char* text(CUresult r) {
  const char* name;
  return cuGetErrorName(r, &name) == CUDA_SUCCESS ? name : "?";
}
static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 factor = {2};
.visible .entry scale(.param .u64 p, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [p];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p0, %r1, %r0;
  @%p0 ret;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd2, %rd0, %rd1;
  ld.global.u32 %r2, [%rd2];
  ld.global.u32 %r3, [factor];
  mul.lo.u32 %r2, %r2, %r3;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";
int main(int count, char** words) {
  CUcontext context;
  CUdevice device;
  CUmodule module;
  CUfunction function;
  CUdeviceptr p, factor;
  char name[64];
  int major, values[40];
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDeviceGetName(name, sizeof name, device);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  printf("%s, %d\n", name, major);
  if (count > 1) {
    printf("%s\n", text(cuModuleLoad(&module, words[1])));
    return 0;
  }
  printf("load: %s\n", text(cuModuleLoadData(&module, ptx)));
  printf("no kernel: %s\n", text(cuModuleGetFunction(&function, module, "none")));
  cuModuleGetFunction(&function, module, "scale");
  for (int i = 0; i < 40; i++) values[i] = i;
  cuMemAlloc(&p, sizeof values);
  cuMemcpyHtoD(p, values, sizeof values);
  int n = 40, ten = 10;
  void* arguments[] = {&p, &n};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  size_t bytes;
  cuModuleGetGlobal(&factor, &bytes, module, "factor");
  cuMemcpyHtoD(factor, &ten, bytes);
  char packed[12];
  memcpy(packed, &p, 8);
  memcpy(packed + 8, &n, 4);
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra);
  // Memory belongs to both APIs.
  cudaMemcpy(values, (void*) p, sizeof values, cudaMemcpyDeviceToHost);
  printf("%d %d\n", values[1], values[39]);
  printf("too many threads: %s\n",
      text(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr)));
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR descriptor = {};
  printf("array: %s\n", text(cuArrayCreate(&array, &descriptor)));
  n = 41;
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  printf("overrun: %s\n", text(cuCtxSynchronize()));
  printf("afterwards: %s\n", text(cuMemAlloc(&p, 4)));
}
