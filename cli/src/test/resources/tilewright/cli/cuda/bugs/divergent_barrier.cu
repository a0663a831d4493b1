// The lanes of a warp come to different barriers, each of which waits for all threads of the block.
template <bool RIGHT> __global__ void swap(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = t;
  if (RIGHT) {
    __syncthreads();
    out[t] = tile[t ^ 1];
  } else if (t % 2 == 0) {
    __syncthreads();
    out[t] = tile[t + 1];
  } else {
    out[t] = -1;
    __syncthreads();  // BUG
    out[t] = tile[t - 1];
  }
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  argc > 1 ? swap<true><<<1, 64>>>(out) : swap<false><<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
