// A 2-D tile goes through shared memory by the Tensor Memory Accelerator and comes back transposed.
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <vector>
constexpr int N = 64, TILE = 32;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
__global__ void transpose(const __grid_constant__ CUtensorMap map, int* out) {
  __shared__ alignas(128) int tile[TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, blockIdx.x * TILE, blockIdx.y * TILE, full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
  } else {
    token = full.arrive();
  }
#ifndef NO_WAIT
  full.wait(std::move(token));
#endif
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  for (int i = 0; i < TILE; i++) out[(column + i) * N + row + threadIdx.x] = tile[threadIdx.x][i];
}
int main() {
  std::vector<int> in(N * N), back(N * N);
  for (int i = 0; i < N * N; i++) in[i] = i;
  int *din, *dout;
  cudaMalloc(&din, sizeof(int) * N * N);
  cudaMalloc(&dout, sizeof(int) * N * N);
  cudaMemcpy(din, in.data(), sizeof(int) * N * N, cudaMemcpyHostToDevice);
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
  auto encode = (decltype(&cuTensorMapEncodeTiled)) f;
  CUtensorMap map;
  cuuint64_t extents[] = {N, N}, strides[] = {N * sizeof(int)};
  cuuint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
  CUresult made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, din, extents, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (made != 0) return 2;
  transpose<<<dim3(N / TILE, N / TILE), TILE>>>(map, dout);
  cudaMemcpy(back.data(), dout, sizeof(int) * N * N, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) if (back[i * N + j] != in[j * N + i]) return 1;
  printf("transposed\n");
  return 0;
}
