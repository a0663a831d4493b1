// A jump table (brx.idx), constant and initialized global memory, a recursive device function.
__constant__ int weights[4] = {3, -1, 4, 1};
__device__ float scale = 0.5f;
__device__ int* table[2] = {nullptr, nullptr};
__device__ double grid[2][3] = {{1.0, 2.0, 3.0}, {4.0}};

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void choose(int* out, int which, int n) {
  int i = threadIdx.x;
  int v = out[i];
  switch (which) {
    case 0: v = v * 3 + n; break;
    case 1: v = __popc(v) - n; break;
    case 2: v = v ^ (n << 3); break;
    case 3: v = ackermann(2, n); break;
    case 4: v = v / n; break;
    case 5: v = atomicAdd(&out[n], v); break;
    case 6: v = __clz(v) + weights[i & 3]; break;
    case 7: v = (int)(v * scale + grid[i & 1][n % 3]); break;
    default: v = table[i & 1] ? *table[i & 1] : 0;
  }
  out[i] = v;
}
