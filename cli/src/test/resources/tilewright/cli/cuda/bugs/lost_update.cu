// Blocks count into the same bins, and a count that another block makes in between is lost.
template <bool RIGHT> __global__ void count(int* bins) {
  int bin = threadIdx.x;
  if (RIGHT) atomicAdd(&bins[bin], 1);
  else bins[bin]++;  // BUG
}

int main(int argc, char**) {
  int* bins;
  cudaMalloc(&bins, 32 * sizeof(int));
  cudaMemset(bins, 0, 32 * sizeof(int));
  argc > 1 ? count<true><<<4, 32>>>(bins) : count<false><<<4, 32>>>(bins);
  return cudaDeviceSynchronize() != cudaSuccess;
}
