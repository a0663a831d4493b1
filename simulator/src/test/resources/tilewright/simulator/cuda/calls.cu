// Functions that cannot be inlined: virtual, by pointer, recursive; and what the runtime answers.
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};

struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};

struct Disc : Shape {
  float radius;
  __device__ Disc(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

extern "C" __global__ void areas(float *out) {
  Shape *shape;
  if (threadIdx.x % 3 == 0) shape = new Square(threadIdx.x); else shape = new Disc(threadIdx.x);
  out[threadIdx.x] = shape->area();
  delete shape;
}

typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ Operation operations[3] = {add, multiply, subtract};
__constant__ int weights[4] = {3, 5, 7, 11};

extern "C" __global__ void pointers(int *out) {
  int t = threadIdx.x;
  out[t] = operations[t % 3](t, weights[t % 4]);
}

extern "C" __global__ void wildPointer(int *out, long long address) {
  out[threadIdx.x] = ((Operation)address)(1, 2);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void fibonaccis(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

__device__ bool even(unsigned n);
__device__ __noinline__ bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }
__device__ __noinline__ bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }

extern "C" __global__ void parities(int *out) { out[threadIdx.x] = even(threadIdx.x); }

// Each call has an array of its own, and passes the address of an element down.
__device__ int walk(int n, int *sum) {
  int local[4] = {n, n + 1, n + 2, n + 3};
  if (n == 0) return *sum;
  *sum += local[n & 3];
  int deeper = walk(n - 1, &local[1]);
  return deeper + local[1] + *sum;
}

extern "C" __global__ void walks(int *out) {
  int sum = 5;
  int result = walk(threadIdx.x, &sum);
  out[threadIdx.x] = result + sum;
}

__device__ void quicksort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[high], i = low;
  for (int j = low; j < high; j++) {
    if (a[j] < pivot) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; }
  }
  int t = a[i]; a[i] = a[high]; a[high] = t;
  quicksort(a, low, i - 1);
  quicksort(a, i + 1, high);
}

extern "C" __global__ void quicksorts(int *a, int n) { quicksort(a + threadIdx.x * n, 0, n - 1); }

__device__ __noinline__ int endless(int *caller, int n) {
  int local[8];
  local[n & 7] = n;
  if (n == -1) return *caller;
  return endless(&local[n & 7], n + 1) + local[n & 7];
}

extern "C" __global__ void overflows(int *out) { out[threadIdx.x] = endless(out, threadIdx.x); }

struct Big { int v[10]; };

__device__ __noinline__ Big rotated(Big b, int by) {
  Big r;
  for (int i = 0; i < 10; i++) r.v[i] = b.v[(i + by) % 10];
  return r;
}

extern "C" __global__ void structs(int *out) {
  Big b;
  for (int i = 0; i < 10; i++) b.v[i] = i * threadIdx.x;
  Big r = rotated(b, threadIdx.x);
  for (int i = 0; i < 10; i++) out[threadIdx.x * 10 + i] = r.v[i];
}

extern "C" __global__ void prints(int n, float x) {
  if (threadIdx.x < n) {
    printf("thread %d of %s: %5.2f|%-6x|%c|%llu|%+.3e|%05d|%%\n", threadIdx.x, "block", x, 255, 'z', 1ull << 40, 0.5,
           -42);
  }
}

extern "C" __global__ void asserts(int n) { assert(threadIdx.x < n); }

extern "C" __global__ void heap(int *out, int n) {
  int *list = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) list[i] = i + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < n; i++) sum += list[i];
  out[threadIdx.x] = sum;
  free(list);
}

extern "C" __global__ void heapOverrun(int *out, int n) {
  int *list = (int *)malloc(n * sizeof(int));
  list[n] = 1;
  out[0] = list[0];
}

extern "C" __global__ void usedAfterFree(int *out) {
  int *list = (int *)malloc(64);
  free(list);
  out[0] = *(volatile int *)list;
}

extern "C" __global__ void freedTwice() {
  void *list = malloc(64);
  free(list);
  free(list);
}

extern "C" __global__ void exhausted(int *out) {
  int got = 0;
  while (malloc(1 << 20)) got++;
  out[0] = got;
}

extern "C" __global__ void arrays(int *out, int n) {
  int *squares = (int *)alloca(n * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  out[threadIdx.x] = squares[threadIdx.x % n];
}
