// Compiled with -G: debug sections; with -lineinfo: .loc with function_name and inlined_at.
__device__ float square(float x) { return x * x; }

__device__ float sum(const float* a) {
  float s = 0.0f;
  for (int i = 0; i < 4; ++i) s += square(a[i]);
  return s;
}

extern "C" __global__ void squares(float* a) { a[threadIdx.x] = square(a[threadIdx.x]) + sum(a); }
