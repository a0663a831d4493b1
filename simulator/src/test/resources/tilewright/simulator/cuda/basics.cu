// What CUDA courses teach: element-wise work, reductions, scans, sorts, stencils, sparse matrices, atomics.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename T>
__global__ void vectorAdd(const T *a, const T *b, T *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
template __global__ void vectorAdd<float>(const float *, const float *, float *, int);
template __global__ void vectorAdd<double>(const double *, const double *, double *, int);
template __global__ void vectorAdd<long long>(const long long *, const long long *, long long *, int);

template <typename T>
__device__ T warpSum(T v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}

extern "C" __global__ void sumByShuffles(const int *in, int *out, int n) {
  __shared__ int partial[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warpSum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    sum = warpSum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void sumByTree(const double *in, double *out) {
  extern __shared__ double values[];
  values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

extern "C" __global__ void groups(const int *in, int *out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int sum = in[block.thread_rank()];
  for (int o = tile.size() / 2; o > 0; o /= 2) sum += tile.shfl_xor(sum, o);
  int votes = __popc(tile.ballot(in[block.thread_rank()] > 500));
  auto odd = cg::binary_partition(tile, block.thread_rank() % 2 == 1);
  out[block.thread_rank()] = sum * 10000 + votes * 100 + odd.size();
}

extern "C" __global__ void layerNorm(const float *x, const float *gain, const float *bias, float *y, int n) {
  __shared__ float sums[2];
  const float *row = x + blockIdx.x * n;
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { s += row[i]; q += row[i] * row[i]; }
  s = warpSum(s);
  q = warpSum(q);
  if (threadIdx.x % 32 == 0) { atomicAdd(&sums[0], s); atomicAdd(&sums[1], q); }
  __syncthreads();
  float mean = sums[0] / n;
  float scale = rsqrtf(sums[1] / n - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[blockIdx.x * n + i] = (row[i] - mean) * scale * gain[i] + bias[i];
  }
}

extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Blelloch's exclusive scan of one block.
extern "C" __global__ void scan(int *data, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x, offset = 1;
  temp[2 * t] = data[2 * t];
  temp[2 * t + 1] = data[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1, v = temp[i];
      temp[i] = temp[j];
      temp[j] += v;
    }
  }
  __syncthreads();
  data[2 * t] = temp[2 * t];
  data[2 * t + 1] = temp[2 * t + 1];
}

extern "C" __global__ void bitonicSort(unsigned *data, int n) {
  extern __shared__ unsigned keys[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = data[i];
  for (int size = 2; size <= n; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int j = i ^ stride;
        if (j > i && (keys[i] > keys[j]) == ((i & size) == 0)) { unsigned t = keys[i]; keys[i] = keys[j]; keys[j] = t; }
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = keys[i];
}

__constant__ float taps[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};

extern "C" __global__ void blur(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
      sum += taps[(dy + 1) * 3 + dx + 1] * in[py * width + px];
    }
  }
  out[y * width + x] = (unsigned char)(sum + 0.5f);
}

extern "C" __global__ void heat(const double *in, double *out, int n) {
  __shared__ double tile[66];
  int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x + 1] + 0.25 * (tile[threadIdx.x] - 2 * tile[threadIdx.x + 1] + tile[threadIdx.x + 2]);
}

// Compressed sparse rows, a warp a row.
extern "C" __global__ void spmv(const int *starts, const int *columns, const double *values, const double *x, double *y) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  double sum = 0;
  for (int i = starts[row] + threadIdx.x % 32; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  sum = warpSum(sum);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

extern "C" __global__ void atomics(int *out, unsigned long long *wide, float *f, double *d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&out[0], t);
  atomicSub(&out[1], t);
  atomicMin(&out[2], t - 50);
  atomicMax(&out[3], t);
  atomicAnd(&out[4], ~(1 << t % 7));
  atomicOr(&out[5], 1 << t % 31);
  atomicXor(&out[6], t);
  atomicInc((unsigned *)&out[7], 20);
  atomicDec((unsigned *)&out[8], 20);
  int seen = atomicAdd(&out[9], 0), expected;
  do { expected = seen; seen = atomicCAS(&out[9], expected, expected * 3 + 1 > 1000000 ? 1 : expected + 1); } while (seen != expected);
  atomicExch(&out[10], 77);
  atomicAdd(&wide[0], 1ull << 33);
  atomicMax(&wide[1], (unsigned long long)t << 32);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.125);
}

// A spin lock: one lane of a warp after the other.
extern "C" __global__ void lock(int *mutex, int *counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)counter = *(volatile int *)counter + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

extern "C" __global__ void bits(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  unsigned r = __popc(x) + __clz(y) + __ffs(x) + __brev(x) + __byte_perm(x, y, 0x5140);
  r ^= __funnelshift_l(x, y, x & 31) ^ __umulhi(x, y) ^ __vadd4(x, y) ^ __vabsdiffu4(x, y) ^ __vcmpgts2(x, y);
  r += __dp4a((int)x, (int)y, (int)r) + __sad((int)x, (int)y, r) + __usad(x, y, 1u) + __uhadd(x, y) + __mul24((int)x, (int)y);
  out[threadIdx.x] = r;
}

extern "C" __global__ void doubles(const double *in, double *out) {
  double x = in[threadIdx.x];
  out[threadIdx.x] = sqrt(fabs(x)) / (1 + x * x) + floor(x) - rint(x) + fmod(x, 3.0) + __ddiv_rd(x, 7.0) + cbrt(x);
}
