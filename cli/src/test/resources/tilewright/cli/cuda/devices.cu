// Two devices: each has memory, and a kernel on one uses the memory of the other.
#include <cstdio>
__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }
int main() {
  int count, can, current, values[32], *memory[2];
  cudaGetDeviceCount(&count);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  printf("%d devices, can access: %d, a third: %s\n", count, can, cudaGetErrorName(cudaSetDevice(2)));
  for (int d = 0; d < 2; d++) {
    cudaSetDevice(d);
    printf("enable: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1 - d, 0)));
    cudaMalloc(&memory[d], sizeof values);
  }
  printf("again: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
  cudaGetLastError();
  for (int i = 0; i < 32; i++) values[i] = i;
  cudaMemcpy(memory[0], values, sizeof values, cudaMemcpyHostToDevice);
  cudaMemcpyPeer(memory[1], 1, memory[0], 0, sizeof values);
  add<<<1, 32>>>(memory[1], memory[0]);
  cudaMemcpy(values, memory[1], sizeof values, cudaMemcpyDeviceToHost);
  cudaPointerAttributes a[2];
  for (int d = 0; d < 2; d++) cudaPointerGetAttributes(&a[d], memory[d]);
  cudaGetDevice(&current);
  printf("%d, memory of %d and %d, current %d, %s\n", values[31], a[0].device, a[1].device, current,
      cudaGetErrorName(cudaGetLastError()));
}
