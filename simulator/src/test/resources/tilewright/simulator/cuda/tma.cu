// Copies by tensor maps as CUDA C++ has them, with the PTX wrappers of libcu++.
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

struct alignas(64) Map {
  uint64_t opaque[16];
};

constexpr int ROWS = 16;
constexpr int COLUMNS = 64;

__device__ inline bool done(uint64_t* barrier, uint32_t parity) {
  return ptx::mbarrier_try_wait_parity(barrier, parity);
}

// Doubles a matrix tile by tile through two stages: loads of the next tile go on while one is worked on.
extern "C" __global__ void doubled(const __grid_constant__ Map from, const __grid_constant__ Map to, int tiles) {
  __shared__ alignas(1024) float stage[2][ROWS][COLUMNS];
  __shared__ alignas(128) float result[ROWS][COLUMNS];
  __shared__ uint64_t full[2];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) ptx::mbarrier_init(&full[s], 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  auto load = [&](int tile) {
    int s = tile % 2;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof(stage[s]));
    const int32_t at[2] = {0, (int) (ROWS * (blockIdx.x * tiles + tile))};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &stage[s], &from, at, &full[s]);
  };
  if (threadIdx.x == 0) load(0);
  for (int tile = 0; tile < tiles; tile++) {
    if (threadIdx.x == 0 && tile + 1 < tiles) load(tile + 1);
    while (!done(&full[tile % 2], tile / 2 % 2)) {
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) {
      result[i / COLUMNS][i % COLUMNS] = 2 * stage[tile % 2][i / COLUMNS][i % COLUMNS];
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      const int32_t at[2] = {0, (int) (ROWS * (blockIdx.x * tiles + tile))};
      ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, &result);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
