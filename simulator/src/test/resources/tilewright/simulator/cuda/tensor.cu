// Tensor-core kernels in CUDA C++: wmma, and mma.sync with ldmatrix and cp.async.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// C = A·B, row-major, a warp a 16×16 tile.
extern "C" __global__ void wmmaGemm(const half *a, const half *b, float *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + row * k + i, k);
    wmma::load_matrix_sync(fb, b + i * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.0f;
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void wmmaBytes(const signed char *a, const signed char *b, int *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::fill_fragment(fc, 0);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * k + i, k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void wmmaTf32(const float *a, const float *b, float *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < k; i += 8) {
    wmma::load_matrix_sync(fa, a + i, k);
    wmma::load_matrix_sync(fb, b + i * n, n);
    for (int j = 0; j < fa.num_elements; j++) fa.x[j] = wmma::__float_to_tf32(fa.x[j]);
    for (int j = 0; j < fb.num_elements; j++) fb.x[j] = wmma::__float_to_tf32(fb.x[j]);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}

// Sums in halves, given as floats, and the other way round.
extern "C" __global__ void wmmaMixed(const half *a, const half *b, const half *c, float *d, half *e) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> ff;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fh, c, 16, wmma::mem_row_major);
  wmma::mma_sync(ff, fa, fb, fh);
  wmma::store_matrix_sync(d, ff, 16, wmma::mem_row_major);
  wmma::mma_sync(fh, fa, fb, ff);
  wmma::store_matrix_sync(e, fh, 16, wmma::mem_row_major);
}

__device__ unsigned shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void ldmatrix4(unsigned (&r)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(p)));
}

__device__ void ldmatrix2t(unsigned (&r)[2], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)));
}

__device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// C = A·B, 64×64 of a CTA of four warps, two stages of 32 in depth through cp.async.
extern "C" __global__ void mmaGemm(const half *a, const half *b, float *c, int n, int k) {
  __shared__ alignas(16) half as[2][64][40], bs[2][32][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const half *ga = a + blockIdx.y * 64 * k, *gb = b + blockIdx.x * 64;
  auto load = [&](int stage, int d) {
    for (int i = t; i < 256; i += 128) {
      __pipeline_memcpy_async(&as[stage][i / 4][i % 4 * 8], ga + i / 4 * k + d + i % 4 * 8, 16);
      __pipeline_memcpy_async(&bs[stage][i / 8][i % 8 * 8], gb + (d + i / 8) * n + i % 8 * 8, 16);
    }
    __pipeline_commit();
  };
  float sums[8][4] = {};
  load(0, 0);
  for (int d = 0, stage = 0; d < k; d += 32, stage ^= 1) {
    if (d + 32 < k) load(stage ^ 1, d + 32);
    __pipeline_wait_prior(d + 32 < k ? 1 : 0);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[4], fb[2];
      ldmatrix4(fa, &as[stage][warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 8; j++) {
        ldmatrix2t(fb, &bs[stage][kk + lane % 16][j * 8]);
        mma(sums[j], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; j++) {
    for (int e = 0; e < 4; e++) {
      int row = blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8, column = blockIdx.x * 64 + j * 8 + lane % 4 * 2 + e % 2;
      c[row * n + column] = sums[j][e];
    }
  }
}

// Softmax(Q·Kᵀ·scale)·V for one head of 64; a warp takes 16 queries, keys come by 16.
extern "C" __global__ void attention(const half *q, const half *k, const half *v, float *o, int keys, float scale) {
  __shared__ alignas(16) half qs[16][72], ks[16][72], vs[16][72];
  int lane = threadIdx.x;
  auto copy = [&](half (*to)[72], const half *from) {
    for (int i = lane; i < 128; i += 32) *(uint4 *)&to[i / 8][i % 8 * 8] = *(const uint4 *)(from + i / 8 * 64 + i % 8 * 8);
  };
  copy(qs, q + blockIdx.x * 16 * 64);
  __syncwarp();
  unsigned fq[4][4];
  for (int d = 0; d < 4; d++) ldmatrix4(fq[d], &qs[lane % 16][d * 16 + lane / 16 * 8]);
  float acc[8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {0, 0};
  for (int start = 0; start < keys; start += 16) {
    __syncwarp();
    copy(ks, k + start * 64);
    copy(vs, v + start * 64);
    __syncwarp();
    float s[2][4] = {};
    for (int d = 0; d < 4; d++) {
      unsigned fk[4];
      ldmatrix4(fk, &ks[lane % 8 + lane / 16 * 8][d * 16 + lane / 8 % 2 * 8]);
      unsigned low[2] = {fk[0], fk[1]}, high[2] = {fk[2], fk[3]};
      mma(s[0], fq[d], low);
      mma(s[1], fq[d], high);
    }
    unsigned fp[4];
    for (int h = 0; h < 2; h++) {
      float m = largest[h];
      for (int j = 0; j < 2; j++) m = fmaxf(m, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float shrink = exp2f((largest[h] - m) * scale);
      largest[h] = m;
      float sum = 0;
      for (int j = 0; j < 2; j++) {
        float p0 = exp2f((s[j][2 * h] - m) * scale), p1 = exp2f((s[j][2 * h + 1] - m) * scale);
        sum += p0 + p1;
        half2 pair = __floats2half2_rn(p0, p1);
        fp[2 * j + h] = *(unsigned *)&pair;
      }
      total[h] = total[h] * shrink + sum;
      for (int j = 0; j < 8; j++) { acc[j][2 * h] *= shrink; acc[j][2 * h + 1] *= shrink; }
    }
    for (int j = 0; j < 8; j++) {
      unsigned fv[2];
      ldmatrix2t(fv, &vs[lane % 16][j * 8]);
      mma(acc[j], fp, fv);
    }
  }
  for (int h = 0; h < 2; h++) {
    total[h] += __shfl_xor_sync(~0u, total[h], 1);
    total[h] += __shfl_xor_sync(~0u, total[h], 2);
    for (int j = 0; j < 8; j++) {
      for (int e = 0; e < 2; e++) {
        o[(blockIdx.x * 16 + lane / 4 + 8 * h) * 64 + j * 8 + lane % 4 * 2 + e] = acc[j][2 * h + e] / total[h];
      }
    }
  }
}

extern "C" __global__ void halves(const half2 *a, const half2 *b, half2 *c, const __nv_bfloat162 *x, __nv_bfloat162 *y) {
  int t = threadIdx.x;
  half2 r = __hfma2(a[t], b[t], a[t]);
  r = __hmax2(r, __hneg2(b[t]));
  if (__hgt(__low2half(a[t]), __high2half(b[t]))) r = __lowhigh2highlow(r);
  c[t] = r;
  y[t] = __hfma2(x[t], x[t], x[t]);
}
