// How programs hand data from thread to thread; each kernel has a correct form and, with FAULTY, one that is not.
#include <cuda_pipeline.h>

constexpr unsigned ALL = 0xffffffffu;

template <bool FAULTY>
__device__ void lastBlockSums(const int* in, volatile int* partial, unsigned* ticket, int* out) {
  __shared__ int sums[64];
  __shared__ bool last;
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) {
    *(int*)&partial[blockIdx.x] = sums[0];
    if (!FAULTY) __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += *(int*)&partial[b];
    *out = sum;
  }
}

// The guide's own form: volatile partial results.
extern "C" __global__ void lastBlock(const int* in, volatile int* partial, unsigned* ticket, int* out) {
  lastBlockSums<false>(in, partial, ticket, out);
}

extern "C" __global__ void lastBlockFaulty(const int* in, volatile int* partial, unsigned* ticket, int* out) {
  lastBlockSums<true>(in, partial, ticket, out);
}

template <bool FAULTY>
__device__ void locked(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *sum += blockIdx.x;
  if (!FAULTY) __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void spinLock(int* lock, int* sum) { locked<false>(lock, sum); }

extern "C" __global__ void spinLockFaulty(int* lock, int* sum) { locked<true>(lock, sum); }

// All blocks meet between the two phases.
extern "C" __global__ void gridBarrier(int* values, unsigned* arrived, int* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  values[t] = t;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile unsigned*)arrived < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  int n = gridDim.x * blockDim.x;
  out[t] = values[(t + blockDim.x) % n];
}

// Warp-synchronous code of old: right only with volatile, or with __syncwarp as here.
template <bool FAULTY>
__device__ void warpSums(const int* in, int* out) {
  __shared__ int sums[64];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      int sum = sums[t] + sums[t + half];
      if (!FAULTY) __syncwarp();
      sums[t] = sum;
      if (!FAULTY) __syncwarp();
    }
  }
  if (t == 0) *out = sums[0];
}

extern "C" __global__ void warpReduce(const int* in, int* out) { warpSums<false>(in, out); }

extern "C" __global__ void warpReduceFaulty(const int* in, int* out) { warpSums<true>(in, out); }

// Shuffles in a block whose last warp is not full.
extern "C" __global__ void shuffles(const int* in, int* out, int n) {
  int t = threadIdx.x;
  int value = t < n ? in[t] : 0;
  unsigned present = __activemask();
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(present, value, step);
    if ((t & 31) >= step) value += other;
  }
  out[t] = value;
}

template <bool FAULTY>
__device__ void pipelined(const int* in, int* out, int tiles) {
  __shared__ __align__(16) int stage[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], 4);
  __pipeline_commit();
  int sum = 0;
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&stage[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stage[k % 2][63 - t];
    if (!FAULTY) __syncthreads();
  }
  out[t] = sum;
}

extern "C" __global__ void pipeline(const int* in, int* out, int tiles) { pipelined<false>(in, out, tiles); }

extern "C" __global__ void pipelineFaulty(const int* in, int* out, int tiles) { pipelined<true>(in, out, tiles); }

// What malloc gives holds nothing yet.
extern "C" __global__ void heapUnwritten(int* out) {
  int* mine = (int*)malloc(4 * sizeof(int));
  mine[0] = 1;
  *out = mine[0] + mine[threadIdx.x + 1];
  free(mine);
}
