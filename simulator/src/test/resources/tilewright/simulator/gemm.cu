// C = A * B^T for bf16 A (M,K), B (N,K) and f32 C (M,N), all row-major; M and N multiples of 128, K of 32.
// 128x128x32 tiles, 256 threads, three cp.async stages, 16-byte chunks swizzled by chunk ^= (row >> 1) & 3.
// Fixture: nvcc -arch=sm_80 --ptx -lineinfo gemm.cu
#include <cstdint>

constexpr int TILE = 128, DEPTH = 32, STAGES = 3, STAGE_BYTES = 2 * TILE * DEPTH * 2;

__device__ __forceinline__ uint32_t place(uint32_t base, int row, int chunk) {
  return base + row * 64 + ((chunk ^ ((row >> 1) & 3)) << 4);
}

__device__ __forceinline__ void copy(uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void load4(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}

extern "C" __global__ void __launch_bounds__(256)
gemm(const uint16_t* a, const uint16_t* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(128) uint8_t smem[];
  uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(smem));
  int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
  int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
  int steps = k / DEPTH;

  auto fetch = [&](int step) {
    if (step < steps) {
      uint32_t stage = base + (step % STAGES) * STAGE_BYTES;
      for (int i = 0; i < 2; ++i) {
        int row = (thread >> 2) + 64 * i, chunk = thread & 3;
        copy(place(stage, row, chunk), a + (size_t)(row0 + row) * k + step * DEPTH + chunk * 8);
        copy(place(stage + TILE * DEPTH * 2, row, chunk), b + (size_t)(column0 + row) * k + step * DEPTH + chunk * 8);
      }
    }
    asm volatile("cp.async.commit_group;");
  };

  float sum[4][4][4] = {};
  int warpRow = (warp >> 2) * 64, warpColumn = (warp & 3) * 32;
  for (int s = 0; s < STAGES - 1; ++s) fetch(s);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    fetch(step + STAGES - 1);
    uint32_t stage = base + (step % STAGES) * STAGE_BYTES;
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t ra[4][4], rb[2][4];
      for (int i = 0; i < 4; ++i)
        load4(ra[i], place(stage, warpRow + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
      for (int j = 0; j < 2; ++j)
        load4(rb[j], place(stage + TILE * DEPTH * 2, warpColumn + j * 16 + (lane & 7) + ((lane >> 4) << 3),
                           kk * 2 + ((lane >> 3) & 1)));
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j >> 1][(j & 1) * 2]),
                "r"(rb[j >> 1][(j & 1) * 2 + 1]));
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int h = 0; h < 2; ++h) {
        int row = row0 + warpRow + i * 16 + (lane >> 2) + 8 * h, column = column0 + warpColumn + j * 8 + 2 * (lane & 3);
        *reinterpret_cast<float2*>(c + (size_t)row * n + column) = make_float2(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
      }
}
