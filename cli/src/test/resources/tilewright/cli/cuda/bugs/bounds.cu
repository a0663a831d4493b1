// The last thread writes one element too many.
template <bool RIGHT> __global__ void fill(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (RIGHT ? i >= n : i > n) return;
  out[i] = i;  // BUG
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 1000 * sizeof(int));
  argc > 1 ? fill<true><<<8, 128>>>(out, 1000) : fill<false><<<8, 128>>>(out, 1000);
  return cudaDeviceSynchronize() != cudaSuccess;
}
