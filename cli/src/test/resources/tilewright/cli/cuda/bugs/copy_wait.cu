// Threads read what their asynchronous copies are still to bring.
template <bool RIGHT> __global__ void copy(const int4* in, int4* out) {
  __shared__ int4 tile[32];
  int t = threadIdx.x;
  unsigned to = (unsigned) __cvta_generic_to_shared(&tile[t]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(in + t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  if (RIGHT) asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[t] = tile[t];  // BUG
}

int main(int argc, char**) {
  int4 *in, *out;
  cudaMalloc(&in, 32 * sizeof(int4));
  cudaMemset(in, 0, 32 * sizeof(int4));
  cudaMalloc(&out, 32 * sizeof(int4));
  argc > 1 ? copy<true><<<1, 32>>>(in, out) : copy<false><<<1, 32>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
