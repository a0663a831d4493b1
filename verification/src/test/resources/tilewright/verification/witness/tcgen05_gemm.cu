// C = A B^T of bf16 in singles, by one block or by two that multiply together: a warp fetches tiles, one multiplies
// into Tensor Memory, four write out. Each of two blocks has half of the rows of A, of B and of C.
#include "tensor_memory.cuh"

constexpr int ROWS = 128;
constexpr int COLUMNS = 64;
constexpr int DEPTH = 64;
constexpr int STAGES = 3;

template <int CTAS> struct Stage {
  uint16_t a[ROWS][DEPTH];
  uint16_t b[COLUMNS / CTAS][DEPTH];
};

template <int CTAS> struct Memory {
  Stage<CTAS> stages[STAGES];
  uint32_t c[ROWS][COLUMNS];
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
  uint64_t multiplied;
  uint32_t tensor;
};

// The bytes are counted by the first block of a pair.
template <int CTAS> __device__ inline void load_for(void* to, const TensorMap& map, int x, int y, uint64_t* barrier) {
  if constexpr (CTAS == 1) {
    load(to, map, x, y, barrier);
  } else {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], "
        "[%1, {%2, %3}], [%4];"
        :: "r"(shared(to)), "l"(&map), "r"(x), "r"(y), "r"(shared(barrier) & 0xFEFFFFFF) : "memory");
  }
}

template <int CTAS> __device__ inline void multiply(uint32_t c, uint64_t a, uint64_t b, int more) {
  // Singles of bf16; columns in eights, rows in sixteens.
  constexpr uint32_t form = 1 << 4 | 1 << 7 | 1 << 10 | COLUMNS / 8 << 17 | CTAS * ROWS / 16 << 24;
  if constexpr (CTAS == 1) {
    asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %4, 0;\n"
        " tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}"
        :: "r"(c), "l"(a), "l"(b), "r"(form), "r"(more) : "memory");
  } else {
    asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %4, 0;\n"
        " tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n}"
        :: "r"(c), "l"(a), "l"(b), "r"(form), "r"(more) : "memory");
  }
}

template <int CTAS> __device__ inline void gemm(const TensorMap& a, const TensorMap& b, const TensorMap& c, int steps) {
  extern __shared__ __align__(1024) char bytes[];
  auto& memory = *(Memory<CTAS>*) bytes;
  int warp = threadIdx.x / 32;
  int rank = CTAS == 1 ? 0 : (int) cluster_rank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&memory.full[s], 1);
      init(&memory.empty[s], 1);
    }
    init(&memory.multiplied, 1);
    initialised();
  }
  if (warp == 5) allocate<CTAS>(&memory.tensor, COLUMNS);
  before_sync();
  cluster_sync();
  after_sync();
  if (warp == 4 && threadIdx.x % 32 == 0) {
    for (int step = 0; step < steps; step++) {
      int s = step % STAGES;
      wait(&memory.empty[s], step / STAGES % 2 ^ 1);
      if (rank == 0) expect(&memory.full[s], CTAS * sizeof(Stage<CTAS>));
      load_for<CTAS>(memory.stages[s].a, a, step * DEPTH, blockIdx.x * ROWS, &memory.full[s]);
      load_for<CTAS>(memory.stages[s].b, b, step * DEPTH, blockIdx.y * COLUMNS + rank * COLUMNS / CTAS,
          &memory.full[s]);
    }
  } else if (warp == 5 && threadIdx.x % 32 == 0 && rank == 0) {
    for (int step = 0; step < steps; step++) {
      int s = step % STAGES;
      wait(&memory.full[s], step / STAGES % 2);
      after_sync();
      for (int k = 0; k < DEPTH; k += 16) {
        multiply<CTAS>(memory.tensor, swizzled(&memory.stages[s].a[0][k]), swizzled(&memory.stages[s].b[0][k]),
            step + k);
      }
      commit<CTAS>(&memory.empty[s]);
    }
    commit<CTAS>(&memory.multiplied);
  } else if (warp < 4) {
    wait(&memory.multiplied, 0);
    after_sync();
    write_out(c, blockIdx.y * COLUMNS, blockIdx.x * ROWS, memory.tensor, memory.c);
  }
  __syncwarp();
  cluster_sync();
  after_sync();
  if (warp == 5) release<CTAS>(memory.tensor, COLUMNS);
}

extern "C" __global__ void single(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
    const __grid_constant__ TensorMap c, int steps) {
  gemm<1>(a, b, c, steps);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) pair(const __grid_constant__ TensorMap a,
    const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int steps) {
  gemm<2>(a, b, c, steps);
}
