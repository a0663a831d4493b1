// Ordinary CUDA C++: what a compiler makes of loops, shared memory, shuffles, atomics, local arrays, switches and calls.
// Fixture: nvcc -arch=sm_80 --ptx programs.cu
#include <cstdint>

extern "C" __global__ void softmax(const float* x, float* y, int n) {
  __shared__ float partial[32];
  const float* row = x + blockIdx.x * n;
  int warps = blockDim.x / 32;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, row[i]);
  for (int o = 16; o; o >>= 1) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, o));
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = largest;
  __syncthreads();
  for (int i = 0; i < warps; i++) largest = fmaxf(largest, partial[i]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - largest);
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < warps; i++) sum += partial[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = expf(row[i] - largest) / sum;
}

extern "C" __global__ void histogram(const uint8_t* data, unsigned* counts, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], local[i]);
}

extern "C" __global__ void scan(const int* in, int* out) {
  __shared__ int tile[512];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  for (int d = 1; d < 512; d <<= 1) {
    int left = i >= d ? tile[i - d] : 0;
    __syncthreads();
    tile[i] += left;
    __syncthreads();
  }
  out[i] = tile[i];
}

extern "C" __global__ void branches(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  int multiples[8];
  for (int k = 0; k < 8; k++) multiples[k] = v * k;
  switch (v & 7) {
    case 0: v += 1; break;
    case 1: v *= 3; break;
    case 2: v -= 7; break;
    case 3: v ^= 0x55; break;
    case 4: v = v / 3; break;
    case 5: v = v % 11; break;
    case 6: v = ~v; break;
    default: v = -v;
  }
  out[i] = v + multiples[(in[i] >> 3) & 7];
}

struct Pair {
  int first, second;
};

__device__ __noinline__ int horner(int x, int n) {
  if (n > 5) return x;
  int s = 0;
  for (int k = 0; k < n; k++) s = s * x + k;
  return s;
}

__device__ __noinline__ Pair both(int x) {
  Pair p;
  p.first = horner(x, 3);
  p.second = horner(x, 7);
  return p;
}

extern "C" __global__ void calls(int* out) {
  int t = threadIdx.x;
  Pair p = both(t);
  out[t] = horner(t, t % 10) + p.first * p.second;
}

extern "C" __global__ void words(const unsigned long long* in, unsigned long long* out) {
  unsigned long long v = in[threadIdx.x];
  out[threadIdx.x] = v / 7 + v % 13 + __clzll(v) + __popcll(v) + __brevll(v) + __umul64hi(v, v);
}
