// Dynamic and static shared memory, barriers, shuffles, launch bounds.
extern __shared__ float scratch[];

extern "C" __global__ void __launch_bounds__(256, 2) block_sum(const float* in, float* out, int n) {
  __shared__ float totals[8];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  scratch[threadIdx.x] = sum;
  __syncthreads();
  sum = scratch[threadIdx.x ^ 1] + sum;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int i = 0; i < 8; ++i) total += totals[i];
    *out = total;
  }
}
