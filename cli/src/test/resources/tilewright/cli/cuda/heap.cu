// A list that one kernel makes with malloc and another adds up, and managed variables.
#include <cstdio>
struct Item { int value; Item* next; };
__device__ Item* list;
__managed__ int total = 100;
__managed__ int parts[32];
__global__ void make(int n) {
  for (int i = 0; i < n; i++) {
    Item* item = (Item*) malloc(sizeof(Item));
    item->value = i;
    item->next = list;
    list = item;
  }
}
__global__ void add() {
  parts[threadIdx.x] += threadIdx.x;
  if (threadIdx.x > 0) return;
  for (Item* i = list; i != nullptr; i = i->next) total += i->value;
#ifdef USE_AFTER_FREE
  free(list);
#endif
}
__global__ void large(void** p) { *p = malloc(64 << 20); }
int main() {
  total += 1;
  parts[7] = 1000;
  make<<<1, 1>>>(10);
  add<<<1, 32>>>();
  cudaError_t e = cudaDeviceSynchronize();
  printf("%d %d %s\n", total, parts[7], cudaGetErrorName(e));
#ifdef USE_AFTER_FREE
  add<<<1, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
#else
  void **p, *got[2];
  cudaMalloc(&p, sizeof(void*));
  for (int i = 0; i < 2; i++) {
    large<<<1, 1>>>(p);
    cudaMemcpy(got + i, p, sizeof(void*), cudaMemcpyDeviceToHost);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20);
  }
  printf("64 MiB: %s, then %s\n", got[0] ? "there" : "null", got[1] ? "there" : "null");
#endif
}
