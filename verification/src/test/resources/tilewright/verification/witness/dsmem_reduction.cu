// The sum of each row of a matrix: a cluster's blocks share out the columns and add up their parts through each other's
// shared memory, pulled with loads or pushed with asynchronous stores.
#include "witness.cuh"

constexpr int RANKS = 4;
constexpr int ROWS = 32;
constexpr int OWN = ROWS / RANKS;

// What a warp adds up of a row: this block's columns.
__device__ float part(const float* x, int row, int rows, int columns) {
  int begin = (int) cluster_rank() * columns / RANKS;
  int end = ((int) cluster_rank() + 1) * columns / RANKS;
  float sum = 0;
  if (row < rows) {
    for (int c = begin + (int) threadIdx.x % 32; c < end; c += 32) sum += x[(long) row * columns + c];
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  return sum;
}

// Each block adds up rows of its own, in the order of ranks, from the memory of all.
extern "C" __global__ void __cluster_dims__(RANKS, 1, 1) pull(const float* x, float* sums, int rows, int columns) {
  __shared__ float parts[ROWS];
  int first = blockIdx.x / RANKS * ROWS;
  for (int row = threadIdx.x / 32; row < ROWS; row += blockDim.x / 32) {
    float sum = part(x, first + row, rows, columns);
    if (threadIdx.x % 32 == 0) parts[row] = sum;
  }
  cluster_sync();
  int mine = (int) cluster_rank() * OWN + (int) threadIdx.x;
  if (threadIdx.x < OWN && first + mine < rows) {
    float sum = 0;
    for (int rank = 0; rank < RANKS; rank++) {
      float value;
      asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(peer(&parts[mine], rank)));
      sum += value;
    }
    sums[first + mine] = sum;
  }
  // No block may exit while another reads its parts.
  cluster_sync();
}

// Each part goes to the row's owner, whose mbarrier counts the bytes; so do the numbers of negative elements.
extern "C" __global__ void __cluster_dims__(RANKS, 1, 1) push(const float* x, float* sums, int* negative, int rows,
    int columns) {
  __shared__ alignas(16) float inbox[RANKS][OWN];
  __shared__ alignas(16) uint32_t counts[OWN];
  __shared__ uint64_t arrived;
  int first = blockIdx.x / RANKS * ROWS;
  if (threadIdx.x < OWN) counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    init(&arrived, 1);
    initialised();
    expect(&arrived, sizeof(inbox) + RANKS * sizeof(counts));
  }
  cluster_sync();
  for (int row = threadIdx.x / 32; row < ROWS; row += blockDim.x / 32) {
    float sum = part(x, first + row, rows, columns);
    int below = 0;
    if (first + row < rows) {
      int end = ((int) cluster_rank() + 1) * columns / RANKS;
      for (int c = (int) cluster_rank() * columns / RANKS + (int) threadIdx.x % 32; c < end; c += 32) {
        below += x[(long) (first + row) * columns + c] < 0;
      }
    }
    below = __reduce_add_sync(~0u, below);
    if (threadIdx.x % 32 == 0) {
      int owner = row / OWN;
      uint32_t barrier = peer(&arrived, owner);
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
          :: "r"(peer(&inbox[cluster_rank()][row % OWN], owner)), "r"(__float_as_uint(sum)), "r"(barrier) : "memory");
      asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
          :: "r"(peer(&counts[row % OWN], owner)), "r"(below), "r"(barrier) : "memory");
    }
  }
  wait(&arrived, 0);
  int mine = first + (int) cluster_rank() * OWN + (int) threadIdx.x;
  if (threadIdx.x < OWN && mine < rows) {
    float sum = 0;
    for (int rank = 0; rank < RANKS; rank++) sum += inbox[rank][threadIdx.x];
    sums[mine] = sum;
    negative[mine] = counts[threadIdx.x];
  }
}
