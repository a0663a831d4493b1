// The sum of some numbers: shared memory within a block, managed memory between host and device.
#include <cstdio>
__global__ void sum(const int* in, int* out, int n) {
  extern __shared__ int partial[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
#ifndef RACE
    __syncthreads();
#endif
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}
int main(int count, char** words) {
  const int n = 5000;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; i++) in[i] = i;
  *out = 0;
  sum<<<(n + 255) / 256, 256, 256 * sizeof(int)>>>(in, out, n);
  cudaDeviceSynchronize();
  printf("%s: %d\n", count > 1 ? words[1] : "sum", *out);
  return *out != n * (n - 1) / 2;
}
