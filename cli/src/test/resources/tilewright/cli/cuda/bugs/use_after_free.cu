// A kernel reads memory that was freed before its launch.
__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // BUG
}

int main(int argc, char**) {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  if (argc == 1) cudaFree(in);
  copy<<<1, 32>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
