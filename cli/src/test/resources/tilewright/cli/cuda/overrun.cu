// Every thread writes, although the last block has too many.
#include <cstdio>
__global__ void squares(int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i * i;
}
int main() {
  int* out;
  cudaMalloc(&out, 1000 * sizeof(int));
  squares<<<4, 256>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaFree(out)));
  return 0;
}
