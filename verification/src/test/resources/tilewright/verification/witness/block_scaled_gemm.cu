// C = A B^T of bytes of eight-bit or pairs of four-bit floats, whose blocks along the rows have a scale each. Scales
// come as tiles of 128 rows by four, and are copied from shared into Tensor Memory before the tiles are multiplied.
#include "tensor_memory.cuh"

constexpr int ROWS = 128;
constexpr int COLUMNS = 128;
constexpr int STAGES = 2;
constexpr int TILE = 512;
// Scales lie in Tensor Memory behind the sums, four columns a tile.
constexpr int SCALES_A = COLUMNS;
constexpr int SCALES_B = COLUMNS + 16;
constexpr int ALLOCATED = 256;

enum Kind { MXF8, MXF4, NVF4 };

// A step along the rows is 128 bytes, which four instructions multiply: they take so many scales of a row.
template <Kind KIND> constexpr int TILES = KIND == MXF8 ? 1 : KIND == MXF4 ? 2 : 4;

template <Kind KIND> struct Stage {
  uint8_t a[ROWS][128];
  uint8_t b[COLUMNS][128];
  uint8_t scales_a[TILES<KIND>][TILE];
  uint8_t scales_b[TILES<KIND>][TILE];
};

template <Kind KIND> struct Memory {
  Stage<KIND> stages[STAGES];
  alignas(128) uint32_t c[ROWS][COLUMNS];
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
  uint64_t multiplied;
  uint32_t tensor;
};

__device__ inline void load_bytes(void* to, const uint8_t* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :: "r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(barrier)) : "memory");
}

// To all four groups of 32 lanes.
__device__ inline void copy_scales(uint32_t to, const uint8_t* tile) {
  uint64_t matrix = (uint64_t) 1 << 46 | (uint64_t) 8 << 32 | 8 << 16 | shared(tile) >> 4;
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(to), "l"(matrix) : "memory");
}

#define MULTIPLY(KIND)                                                                                                 \
  asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %6, 0;\n"                                                           \
      " tcgen05.mma.cta_group::1.kind::" KIND " [%0], %1, %2, %3, [%4], [%5], p;\n}"                                   \
      :: "r"(c), "l"(a), "l"(b), "r"(form), "r"(scales_a), "r"(scales_b), "r"(more) : "memory")

// Which of a tile's four scales come first is part of the form.
template <Kind KIND> __device__ inline void multiply(uint32_t c, uint64_t a, uint64_t b, uint32_t scales_a,
    uint32_t scales_b, uint32_t first, int more) {
  uint32_t form = COLUMNS / 8 << 17 | ROWS / 16 << 24 | first << 4 | first << 29;
  if constexpr (KIND == MXF8) {
    // E4M3 by E5M2, scales are powers of two.
    form |= 1 << 10 | 1 << 23;
    MULTIPLY("mxf8f6f4.block_scale.scale_vec::1X");
  } else if constexpr (KIND == MXF4) {
    form |= 1 << 7 | 1 << 10 | 1 << 23;
    MULTIPLY("mxf4.block_scale.scale_vec::2X");
  } else {
    form |= 1 << 7 | 1 << 10;
    MULTIPLY("mxf4nvf4.block_scale.scale_vec::4X");
  }
}

template <Kind KIND> __device__ inline void gemm(const TensorMap& a, const TensorMap& b, const uint8_t* scales_a,
    const uint8_t* scales_b, const TensorMap& c, int steps) {
  extern __shared__ __align__(1024) char bytes[];
  auto& memory = *(Memory<KIND>*) bytes;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&memory.full[s], 1);
      init(&memory.empty[s], 1);
    }
    init(&memory.multiplied, 1);
    initialised();
  }
  if (warp == 5) allocate<1>(&memory.tensor, ALLOCATED);
  before_sync();
  __syncthreads();
  after_sync();
  uint32_t tensor = memory.tensor;
  if (warp == 4 && threadIdx.x % 32 == 0) {
    for (int step = 0; step < steps; step++) {
      auto& stage = memory.stages[step % STAGES];
      auto full = &memory.full[step % STAGES];
      wait(&memory.empty[step % STAGES], step / STAGES % 2 ^ 1);
      expect(full, sizeof(stage));
      load(stage.a, a, step * 128, blockIdx.x * ROWS, full);
      load(stage.b, b, step * 128, blockIdx.y * COLUMNS, full);
      load_bytes(stage.scales_a, scales_a + (blockIdx.x * steps + step) * sizeof(stage.scales_a),
          sizeof(stage.scales_a), full);
      load_bytes(stage.scales_b, scales_b + (blockIdx.y * steps + step) * sizeof(stage.scales_b),
          sizeof(stage.scales_b), full);
    }
  } else if (warp == 5 && threadIdx.x % 32 == 0) {
    for (int step = 0; step < steps; step++) {
      auto& stage = memory.stages[step % STAGES];
      wait(&memory.full[step % STAGES], step / STAGES % 2);
      after_sync();
      for (int t = 0; t < TILES<KIND>; t++) {
        copy_scales(tensor + SCALES_A + 4 * t, stage.scales_a[t]);
        copy_scales(tensor + SCALES_B + 4 * t, stage.scales_b[t]);
      }
      for (int i = 0; i < 4; i++) {
        int scale = i * TILES<KIND>;
        multiply<KIND>(tensor, swizzled(&stage.a[0][32 * i]), swizzled(&stage.b[0][32 * i]),
            tensor + SCALES_A + scale / 4 * 4, tensor + SCALES_B + scale / 4 * 4, scale % 4, step + i);
      }
      commit<1>(&memory.empty[step % STAGES]);
    }
    commit<1>(&memory.multiplied);
  } else if (warp < 4) {
    wait(&memory.multiplied, 0);
    after_sync();
    write_out(c, blockIdx.y * COLUMNS, blockIdx.x * ROWS, tensor, memory.c);
  }
  __syncthreads();
  after_sync();
  if (warp == 5) release<1>(tensor, ALLOCATED);
}

#define KERNEL(NAME, KIND)                                                                                             \
  extern "C" __global__ void NAME(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,            \
      const uint8_t* scales_a, const uint8_t* scales_b, const __grid_constant__ TensorMap c, int steps) {              \
    gemm<KIND>(a, b, scales_a, scales_b, c, steps);                                                                    \
  }

KERNEL(mxf8, MXF8)
KERNEL(mxf4, MXF4)
KERNEL(nvf4, NVF4)
