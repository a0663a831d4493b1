// The host counts in managed memory while a kernel counts in the word beside.
#include <cstdio>
__global__ void count(int *n) {
  for (int i = 0; i < 100000; i++) atomicAdd(n, 1);
}
int main() {
  int *n;
  cudaMallocManaged(&n, 2 * sizeof(int));
  n[0] = n[1] = 0;
  count<<<1, 1>>>(n);
  cudaDeviceSynchronize();
  count<<<1, 1>>>(n);
  for (int i = 0; i < 100000000; i++) ++*(volatile int *) (n + 1);
  cudaDeviceSynchronize();
  printf("host %d, kernel %d\n", n[1], n[0]);
}
