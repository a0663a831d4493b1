// A block smooths its numbers and forgets the element beyond its last one.
template <bool RIGHT> __global__ void smooth(const float* in, float* out) {
  __shared__ float tile[65];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (RIGHT && t == 0) tile[64] = 0;
  __syncthreads();
  out[t] = (tile[t] + tile[t + 1]) / 2;  // BUG
}

int main(int argc, char**) {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  argc > 1 ? smooth<true><<<1, 64>>>(in, out) : smooth<false><<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
