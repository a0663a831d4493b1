// C = A B^T of bf16 in singles, by clusters of two blocks above each other: in each a producer thread fetches tiles of
// A for itself and half of a tile of B for both, and two warpgroups multiply 64 rows each. Tails are those of the
// maps.
#include "witness.cuh"

constexpr int ROWS = 128;
constexpr int COLUMNS = 64;
constexpr int DEPTH = 64;
constexpr int STAGES = 3;

struct Stage {
  uint16_t a[ROWS][DEPTH];
  uint16_t b[COLUMNS][DEPTH];
};

struct Memory {
  Stage stages[STAGES];
  float c[ROWS][COLUMNS];
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
};

// Rows of 128 bytes, swizzled, eight of them 1024 bytes apart from the next eight.
__device__ inline uint64_t matrix(const void* tile) { return 0x4000004000010000 | shared(tile) >> 4; }

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])

// Adds the product of 64 rows of A and 64 of B, 16 deep, to d, or begins with it.
__device__ inline void multiply(float (&d)[32], uint64_t a, uint64_t b, int more) {
  asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %34, 0;\n"
      " wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
      "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, "
      "1, 0, 0;\n}"
      : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28) : "l"(a), "l"(b), "r"(more));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) gemm(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c,
    int steps) {
  extern __shared__ __align__(1024) char bytes[];
  auto& memory = *(Memory*) bytes;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&memory.full[s], 1);
      init(&memory.empty[s], 4);
    }
    initialised();
  }
  cluster_sync();
  int group = threadIdx.x / 128;
  int row = blockIdx.x * ROWS;
  int column = blockIdx.y * COLUMNS;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int half = (int) cluster_rank() * COLUMNS / 2;
      for (int step = 0; step < steps; step++) {
        int s = step % STAGES;
        wait(&memory.empty[s], step / STAGES % 2 ^ 1);
        expect(&memory.full[s], sizeof(Stage));
        load(memory.stages[s].a, a, step * DEPTH, row, &memory.full[s]);
        multicast(memory.stages[s].b[half], b, step * DEPTH, column + half, &memory.full[s], 3);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    group--;
    int thread = threadIdx.x % 128;
    float d[32];
    for (int step = 0; step < steps; step++) {
      int s = step % STAGES;
      wait(&memory.full[s], step / STAGES % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int k = 0; k < DEPTH; k += 16) {
        multiply(d, matrix(&memory.stages[s].a[64 * group][k]), matrix(&memory.stages[s].b[0][k]), step + k);
      }
      asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (thread < 2) arrive(peer(&memory.empty[s], thread));
    }
    float (*rows)[COLUMNS] = memory.c + 64 * group + thread / 32 * 16 + thread % 32 / 4;
    for (int i = 0; i < 32; i++) rows[i / 2 % 2 * 8][i / 4 * 8 + thread % 4 * 2 + i % 2] = d[i];
    publish();
    asm volatile("bar.sync %0, 128;" :: "r"(group + 1) : "memory");
    if (thread == 0) {
      store(c, column, row + 64 * group, memory.c[64 * group]);
      stored();
    }
  }
  // No block may exit while others still copy to it and arrive at its barriers.
  cluster_sync();
}
