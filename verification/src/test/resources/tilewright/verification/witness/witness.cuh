// What the witness kernels share: clusters, mbarriers and copies by tensor maps, one PTX instruction a function.
#pragma once
#include <cstdint>

struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

__device__ inline uint32_t shared(const void* pointer) { return (uint32_t) __cvta_generic_to_shared(pointer); }

__device__ inline uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The address of another block's variable that lies where this block's does.
__device__ inline uint32_t peer(const void* pointer, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared(pointer)), "r"(rank));
  return address;
}

__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }

__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

__device__ inline void init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared(barrier)), "r"(arrivals) : "memory");
}

__device__ inline void initialised() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
      :: "r"(shared(barrier)), "r"(bytes) : "memory");
}

// At another block's barrier, or at the own one by the same kind of address.
__device__ inline void arrive(uint32_t barrier_of_cluster) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(barrier_of_cluster) : "memory");
}

__device__ inline void wait(uint64_t* barrier, uint32_t parity) {
  uint32_t over = 0;
  while (!over) {
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        " selp.u32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(shared(barrier)), "r"(parity) : "memory");
  }
}

__device__ inline void load(void* to, const TensorMap& map, int x, int y, uint64_t* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" :: "r"(shared(to)), "l"(&map), "r"(x), "r"(y), "r"(shared(barrier)) : "memory");
}

// To the same place in each block of the cluster that has its bit set, and to that block's barrier.
__device__ inline void multicast(void* to, const TensorMap& map, int x, int y, uint64_t* barrier, uint16_t ranks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;"
      :: "r"(shared(to)), "l"(&map), "r"(x), "r"(y), "r"(shared(barrier)), "h"(ranks) : "memory");
}

__device__ inline void store(const TensorMap& map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
      :: "l"(&map), "r"(x), "r"(y), "r"(shared(from)) : "memory");
}

// Makes what this thread wrote to shared memory fit for asynchronous copies.
__device__ inline void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void stored() {
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}
