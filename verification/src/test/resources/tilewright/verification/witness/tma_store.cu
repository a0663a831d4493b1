// Tiles that leave shared memory by tensor maps: stored, and combined with what is there. What lies beyond the tensor's
// end is filled with zeros on the way in and left alone on the way out.
#include "witness.cuh"

constexpr int COLUMNS = 32;
constexpr int ROWS = 16;

// Twice the tensor, tile by tile.
extern "C" __global__ void doubled(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to) {
  __shared__ alignas(128) float tile[ROWS * COLUMNS];
  __shared__ uint64_t full;
  int x = blockIdx.x * COLUMNS;
  int y = blockIdx.y * ROWS;
  if (threadIdx.x == 0) {
    init(&full, 1);
    initialised();
    expect(&full, sizeof(tile));
    load(tile, from, x, y, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) tile[i] *= 2;
  publish();
  __syncthreads();
  if (threadIdx.x == 0) {
    store(to, x, y, tile);
    stored();
  }
}

// A layer of the first tensor's is combined with the second, by each of the blocks along z; elements have any type.
#define COMBINE(NAME, OPERATION)                                                                                       \
  extern "C" __global__ void NAME(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to,        \
      int bytes, int columns, int rows) {                                                                              \
    __shared__ alignas(128) char tile[256];                                                                            \
    __shared__ uint64_t full;                                                                                          \
    int x = blockIdx.x * columns;                                                                                      \
    int y = blockIdx.y * rows;                                                                                         \
    if (threadIdx.x == 0) {                                                                                            \
      init(&full, 1);                                                                                                  \
      initialised();                                                                                                   \
      expect(&full, bytes);                                                                                            \
      asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "                 \
          "[%0], [%1, {%2, %3, %4}], [%5];"                                                                            \
          :: "r"(shared(tile)), "l"(&from), "r"(x), "r"(y), "r"(blockIdx.z), "r"(shared(&full)) : "memory");           \
      wait(&full, 0);                                                                                                  \
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." OPERATION ".tile.bulk_group "                  \
          "[%0, {%1, %2}], [%3];" :: "l"(&to), "r"(x), "r"(y), "r"(shared(tile)) : "memory");                          \
      stored();                                                                                                        \
    }                                                                                                                  \
  }

COMBINE(sum, "add")
COMBINE(least, "min")
COMBINE(greatest, "max")
COMBINE(exclusive_or, "xor")
