// A variadic call: nested blocks, call parameters, a string in global memory, a local array.
#include <cstdio>

extern "C" __global__ void hello(const int* values) {
  printf("thread %d of %d: %d %f\n", threadIdx.x, blockDim.x, values[threadIdx.x], 1.5 * threadIdx.x);
}
