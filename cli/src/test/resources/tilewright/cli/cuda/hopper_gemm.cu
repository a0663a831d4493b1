// C = A * B^T on Hopper: TMA fills a ring of stages, wgmma multiplies them. A is (M,K), B is (N,K), both bf16.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BM = 128, BN = 128, BK = 64, STAGES = 4;
constexpr int STAGE_BYTES = (BM + BN) * BK * 2;
constexpr int SHARED = STAGES * STAGE_BYTES + 1024;

__device__ uint32_t shared_address(const void *p) { return (uint32_t) __cvta_generic_to_shared(p); }

__device__ void init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_address(barrier)), "r"(count));
}

__device__ void expect(uint64_t *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
      :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_address(barrier)) : "memory");
}

__device__ void wait(uint64_t *barrier, int phase) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" :: "r"(shared_address(barrier)), "r"(phase) : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
      :: "r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)) : "memory");
}

// Rows of 128 bytes, swizzled in atoms of 8 rows.
__device__ uint64_t descriptor(const void *p) {
  return (shared_address(p) & 0x3FFFF) >> 4 | 1ull << 16 | (uint64_t) (1024 >> 4) << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile("{\nwgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;\n}"
#define F(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
      : F(0), F(4), F(8), F(12), F(16), F(20), F(24), F(28), F(32), F(36), F(40), F(44), F(48), F(52), F(56), F(60)
      : "l"(a), "l"(b));
}

// Warps 0 to 3 load, two warpgroups multiply 64 rows each.
__global__ void __launch_bounds__(384) gemm(const __grid_constant__ CUtensorMap a,
    const __grid_constant__ CUtensorMap b, float *c, int n, int k) {
  extern __shared__ char unaligned[];
  char *tiles = (char *) (((uintptr_t) unaligned + 1023) / 1024 * 1024);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  int group = threadIdx.x / 128, row = blockIdx.y * BM, column = blockIdx.x * BN;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&full[s], 1);
      init(&empty[s], 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (group == 0) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < k / BK; i++) {
      int s = i % STAGES;
      char *stage = tiles + s * STAGE_BYTES;
      if (i >= STAGES) wait(&empty[s], (i / STAGES - 1) & 1);
      expect(&full[s], STAGE_BYTES);
      load(stage, &a, i * BK, row, &full[s]);
      load(stage + BM * BK * 2, &b, i * BK, column, &full[s]);
    }
    return;
  }
  float d[64] = {};
  for (int i = 0; i < k / BK; i++) {
    int s = i % STAGES;
    char *stage = tiles + s * STAGE_BYTES;
    wait(&full[s], i / STAGES & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < BK / 16; j++) {
      multiply(d, descriptor(stage + (group - 1) * 64 * BK * 2 + j * 32), descriptor(stage + BM * BK * 2 + j * 32));
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0) arrive(&empty[s]);
  }
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  float *at = c + (size_t) (row + (group - 1) * 64 + warp * 16 + lane / 4) * n + column + lane % 4 * 2;
  for (int j = 0; j < 16; j++) {
    *(float2 *) (at + j * 8) = make_float2(d[4 * j], d[4 * j + 1]);
    *(float2 *) (at + 8 * (size_t) n + j * 8) = make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
}

static CUtensorMap map_of(void *p, int rows, int k) {
  static decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  if (!encode) cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **) &encode, 12000, cudaEnableDefault,
      &found);
  CUtensorMap map;
  cuuint64_t extents[] = {(cuuint64_t) k, (cuuint64_t) rows}, strides[] = {(cuuint64_t) k * 2};
  cuuint32_t box[] = {BK, 128}, ones[] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, extents, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) exit(3);
  return map;
}

int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 256, n = argc > 2 ? atoi(argv[2]) : m, k = argc > 3 ? atoi(argv[3]) : m;
  std::vector<__nv_bfloat16> a(m * k), b(n * k);
  uint32_t seed = 1;
  auto next = [&] { return (float) ((seed = seed * 1664525 + 1013904223) >> 24) / 128 - 1; };
  for (auto &v : a) v = __float2bfloat16(next());
  for (auto &v : b) v = __float2bfloat16(next());
  __nv_bfloat16 *da, *db;
  float *dc;
  cudaMalloc(&da, a.size() * 2);
  cudaMalloc(&db, b.size() * 2);
  cudaMalloc(&dc, (size_t) m * n * 4);
  cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  gemm<<<dim3(n / BN, m / BM), 384, SHARED>>>(map_of(da, m, k), map_of(db, n, k), dc, n, k);
  std::vector<float> c((size_t) m * n);
  cudaError_t e = cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  if (e) return printf("%s\n", cudaGetErrorString(e)), 1;
  double worst = 0;
  for (int i = 0; i < m; i += 37) {
    for (int j = 0; j < n; j += 29) {
      double sum = 0;
      for (int x = 0; x < k; x++) sum += (double) __bfloat162float(a[i * k + x]) * __bfloat162float(b[j * k + x]);
      worst = fmax(worst, fabs(sum - c[(size_t) i * n + j]));
    }
  }
  printf("%d x %d x %d: largest error %.2g\n", m, n, k, worst);
  return !(worst < 1e-5 * k);
}
