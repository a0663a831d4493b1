// Twice a matrix, by clusters of two blocks that go on with the tiles of clusters which then are not launched: while
// one tile is worked on, the cluster's first block asks for the next on behalf of both.
#include "witness.cuh"

constexpr int COLUMNS = 32;
constexpr int ROWS = 16;

extern "C" __global__ void __cluster_dims__(2, 1, 1) doubled(const __grid_constant__ TensorMap from,
    const __grid_constant__ TensorMap to, int* visits) {
  __shared__ alignas(128) float tile[ROWS * COLUMNS];
  __shared__ alignas(16) uint4 answer;
  __shared__ uint64_t full;
  __shared__ uint64_t answered;
  __shared__ uint64_t understood;
  uint32_t rank = cluster_rank();
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&answered, 1);
    init(&understood, 2);
    initialised();
  }
  cluster_sync();
  int x = blockIdx.x;
  int y = blockIdx.y;
  for (int round = 0;; round++) {
    if (threadIdx.x == 0) {
      expect(&answered, sizeof(answer));
      if (rank == 0) {
        if (round > 0) wait(&understood, (round - 1) % 2);
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
            "multicast::cluster::all.b128 [%0], [%1];" :: "r"(shared(&answer)), "r"(shared(&answered)) : "memory");
      }
      expect(&full, sizeof(tile));
      load(tile, from, x * COLUMNS, y * ROWS, &full);
      atomicAdd(&visits[y * gridDim.x + x], 1);
    }
    wait(&full, round % 2);
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) tile[i] *= 2;
    publish();
    __syncthreads();
    if (threadIdx.x == 0) {
      store(to, x * COLUMNS, y * ROWS, tile);
      stored();
    }
    wait(&answered, round % 2);
    uint32_t canceled;
    asm volatile("{\n .reg .b128 answer;\n .reg .pred p;\n ld.shared.b128 answer, [%3];\n"
        " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n selp.u32 %0, 1, 0, p;\n"
        " @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, _, _}, answer;\n}"
        : "=r"(canceled), "=r"(x), "=r"(y) : "r"(shared(&answer)) : "memory");
    if (!canceled) break;
    x += rank;
    // All have read the answer, and the tile was stored; the next of either comes by an asynchronous operation.
    publish();
    __syncthreads();
    if (threadIdx.x == 0) arrive(peer(&understood, 0));
  }
  cluster_sync();
}
