// Blocks of a cluster that work together through each other's shared memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// out[c] is the sum of the in of cluster c: each block sums its part, the first one those sums.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sum(const int *in, int *out) {
  __shared__ int part;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&part, in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); r++) sum += *cluster.map_shared_rank(&part, r);
    out[blockIdx.x / cluster.num_blocks()] = sum;
  }
  cluster.sync();
}

// Counts in[i] % bins in bins that are spread over the cluster's blocks.
extern "C" __global__ void __cluster_dims__(2, 2, 1) histogram(const int *in, int n, int *out, int bins) {
  extern __shared__ int mine[];
  auto cluster = cg::this_cluster();
  unsigned blocks = cluster.num_blocks();
  int each = bins / blocks;
  for (int i = threadIdx.x; i < each; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = block * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x * gridDim.y) {
    int bin = in[i] % bins;
    atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&out[cluster.block_rank() * each + i], mine[i]);
}

// Every thread writes to the next block, arrives, does something else, and waits before it reads its own.
extern "C" __global__ void __cluster_dims__(8, 1, 1) rotate(int *out) {
  __shared__ int mailbox[64];
  auto cluster = cg::this_cluster();
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int *there = cluster.map_shared_rank(mailbox, next);
  there[threadIdx.x] = cluster.thread_rank();
  cluster.barrier_arrive();
  int rank = cluster.query_shared_rank(there) == next && cluster.query_shared_rank(mailbox) == cluster.block_rank();
  cluster.barrier_wait();
  out[blockIdx.x * 64 + threadIdx.x] = rank ? mailbox[threadIdx.x] : -1;
}
