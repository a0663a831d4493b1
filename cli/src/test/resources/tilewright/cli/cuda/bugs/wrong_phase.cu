// A block copies two tiles through one buffer and waits for the first phase of its mbarrier each time.
__device__ void wait(unsigned barrier, int parity) {
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  }
}

template <bool RIGHT> __global__ void sum(const int* in, int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ alignas(8) long long full;
  unsigned barrier = (unsigned) __cvta_generic_to_shared(&full);
  unsigned to = (unsigned) __cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  int total = 0;
  for (int i = 0; i < 2; i++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(barrier) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
          :: "r"(to), "l"(in + 64 * i), "r"(barrier) : "memory");
    }
    wait(barrier, RIGHT ? i & 1 : 0);
    total += tile[threadIdx.x];  // BUG
  }
  out[threadIdx.x] = total;
}

int main(int argc, char**) {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMemset(in, 1, 128 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  argc > 1 ? sum<true><<<1, 64>>>(in, out) : sum<false><<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
