// A kernel that finds its memory by a pointer in memory.
__global__ void store(int** p) { **p = 1; }
int main() {
  int *to, **p;
  cudaMalloc(&p, sizeof(int*));
  cudaMalloc(&to, sizeof(int));
  cudaMemcpy(p, &to, sizeof to, cudaMemcpyHostToDevice);
  store<<<1, 1>>>(p);
  return cudaDeviceSynchronize();
}
