// A block reverses its numbers in shared memory, and a warp reads before the other has written.
template <bool RIGHT> __global__ void reverse(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  tile[t] = t;
  if (RIGHT) __syncthreads();
  out[t] = tile[63 - t];  // BUG
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  argc > 1 ? reverse<true><<<1, 64>>>(out) : reverse<false><<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
