// C = A B of singles by clusters of two by two blocks: each block fetches half of what a row of blocks needs of A, and
// half of what a column of blocks needs of B, and multicasts it to both.
#include "witness.cuh"

constexpr int SIDE = 32;
constexpr int DEPTH = 16;
constexpr int STAGES = 2;

extern "C" __global__ void __cluster_dims__(2, 2, 1) multiply(const __grid_constant__ TensorMap a,
    const __grid_constant__ TensorMap b, float* c, int rows, int columns, int depth) {
  __shared__ alignas(128) float tile_a[STAGES][SIDE][DEPTH];
  __shared__ alignas(128) float tile_b[STAGES][DEPTH][SIDE];
  __shared__ uint64_t full[STAGES];
  __shared__ uint64_t empty[STAGES];
  int column = (int) cluster_rank() % 2;
  int row = (int) cluster_rank() / 2;
  int steps = (depth + DEPTH - 1) / DEPTH;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&full[s], 1);
      // Every block that this one's copies reach says that it is done with a stage: both of its row and of its column.
      init(&empty[s], 3);
    }
    initialised();
  }
  cluster_sync();
  auto fetch = [&](int step) {
    int s = step % STAGES;
    if (step >= STAGES) wait(&empty[s], (step / STAGES + 1) % 2);
    expect(&full[s], sizeof(tile_a[s]) + sizeof(tile_b[s]));
    multicast(&tile_a[s][column * SIDE / 2], a, step * DEPTH, blockIdx.y * SIDE + column * SIDE / 2, &full[s],
        3 << 2 * row);
    multicast(&tile_b[s][row * DEPTH / 2], b, blockIdx.x * SIDE, step * DEPTH + row * DEPTH / 2, &full[s],
        5 << column);
  };
  if (threadIdx.x == 0) {
    for (int step = 0; step < STAGES && step < steps; step++) fetch(step);
  }
  int x = threadIdx.x % SIDE;
  float sums[SIDE * SIDE / 128] = {};
  for (int step = 0; step < steps; step++) {
    int s = step % STAGES;
    wait(&full[s], step / STAGES % 2);
    for (int k = 0; k < DEPTH; k++) {
      for (int i = 0; i < SIDE * SIDE / 128; i++) {
        sums[i] = fmaf(tile_a[s][threadIdx.x / SIDE + 4 * i][k], tile_b[s][k][x], sums[i]);
      }
    }
    __syncthreads();
    if (threadIdx.x < 4 && (threadIdx.x ^ cluster_rank()) != 3) arrive(peer(&empty[s], threadIdx.x));
    if (threadIdx.x == 0 && step + STAGES < steps) fetch(step + STAGES);
  }
  for (int i = 0; i < SIDE * SIDE / 128; i++) {
    int y = blockIdx.y * SIDE + threadIdx.x / SIDE + 4 * i;
    if (y < rows && blockIdx.x * SIDE + x < columns) c[(long) y * columns + blockIdx.x * SIDE + x] = sums[i];
  }
  // No block may exit while others still arrive at its barriers.
  cluster_sync();
}
