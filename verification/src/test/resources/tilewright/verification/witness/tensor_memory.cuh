// What the witness kernels with Tensor Memory share, on top of witness.cuh. CTAS are those that multiply together.
#pragma once
#include "witness.cuh"

// By a whole warp, of each of the blocks together; where the columns begin is written to shared memory.
template <int CTAS> __device__ inline void allocate(uint32_t* begin, uint32_t columns) {
  if constexpr (CTAS == 1) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n"
        " tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" :: "r"(shared(begin)), "r"(columns) : "memory");
  } else {
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n"
        " tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" :: "r"(shared(begin)), "r"(columns) : "memory");
  }
}

template <int CTAS> __device__ inline void release(uint32_t begin, uint32_t columns) {
  if constexpr (CTAS == 1) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(begin), "r"(columns) : "memory");
  } else {
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" :: "r"(begin), "r"(columns) : "memory");
  }
}

__device__ inline void before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }

__device__ inline void after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// A matrix of rows of 128 bytes, swizzled, eight of them 1024 bytes apart from the next eight.
__device__ inline uint64_t swizzled(const void* tile) { return 0x4000404000000000 | shared(tile) >> 4; }

// Arrives at the barrier, of each of the blocks, when all that this thread has issued is over.
template <int CTAS> __device__ inline void commit(uint64_t* barrier) {
  if constexpr (CTAS == 1) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
        :: "r"(shared(barrier)) : "memory");
  } else {
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
        :: "r"(shared(barrier)), "h"((uint16_t) 3) : "memory");
  }
}

// Sixteen columns of the lane that is this thread's.
__device__ inline void read(uint32_t address, uint32_t (&v)[16]) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];\n tcgen05.wait::ld.sync.aligned;"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]), "=r"(v[8]),
      "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]), "=r"(v[14]), "=r"(v[15])
      : "r"(address) : "memory");
}

// 128 lanes go through shared memory to where the map says; by four warps, of which the first is a multiple of four.
template <int COLUMNS> __device__ inline void write_out(const TensorMap& c, int x, int y, uint32_t tensor,
    uint32_t (*tile)[COLUMNS]) {
  int lane = threadIdx.x % 128;
  for (int column = 0; column < COLUMNS; column += 16) {
    uint32_t v[16];
    read(tensor + (lane / 32 << 21) + column, v);
    for (int i = 0; i < 16; i++) tile[lane][column + i] = v[i];
  }
  before_sync();
  publish();
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (lane == 0) {
    store(c, x, y, tile);
    stored();
  }
}
