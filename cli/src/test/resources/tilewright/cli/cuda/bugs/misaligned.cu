// Threads read four numbers at a time from an address that four numbers are not aligned to.
__global__ void copy(const float* in, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 4 * threadIdx.x);  // BUG
}

int main(int argc, char**) {
  float* in;
  float4* out;
  cudaMalloc(&in, 132 * sizeof(float));
  cudaMemset(in, 0, 132 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float4));
  copy<<<1, 32>>>(in + (argc > 1 ? 4 : 1), out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
