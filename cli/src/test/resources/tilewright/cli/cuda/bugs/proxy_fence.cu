// A tile goes to global memory by a bulk copy, which may not see what threads have written through the generic proxy.
template <bool RIGHT> __global__ void store(int* out) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  if (RIGHT) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned from = (unsigned) __cvta_generic_to_shared(tile);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(out), "r"(from) : "memory");  // BUG
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  argc > 1 ? store<true><<<1, 64>>>(out) : store<false><<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
