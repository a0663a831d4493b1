// y = a·x + y with the factor in constant memory.
#include <cstdio>
#include <vector>
__constant__ float factor;
__device__ int launches;
__global__ void scaled_add(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += factor * x[i];
  if (i == 0) launches++;
}
int main() {
  const int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
  float *dx, *dy, two = 2;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(factor, &two, sizeof two);
  scaled_add<<<4, 256>>>(dx, dy, n);
  scaled_add<<<4, 256>>>(dx, dy, n);
  int count = 0;
  cudaMemcpyFromSymbol(&count, launches, sizeof count);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) if (y[i] != 4.0f * i + 1) { printf("y[%d] is %f\n", i, y[i]); return 1; }
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("%d launches on sm_%d%d: %s\n", count, p.major, p.minor, cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
