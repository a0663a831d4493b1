// The program of recorded.c by the driver API.
#include <stddef.h>
#include <stdio.h>
#include "recorded.h"

int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(void **, size_t *, void *, const char *);
int cuMemAlloc_v2(void **, size_t);
int cuMemFree_v2(void *);
int cuMemcpyHtoD_v2(void *, const void *, size_t);
int cuMemcpyDtoH_v2(void *, const void *, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
    void **);

int main(void) {
  void *module, *add, *bias, *other, *data;
  int n = 100, values[40], thousand = 1000;
  for (int i = 0; i < 40; i++) values[i] = i;
  if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&add, module, "add")) return 1;
  if (cuModuleGetGlobal_v2(&bias, NULL, module, "bias")) return 1;
  cuMemAlloc_v2(&other, 64);
  cuMemAlloc_v2(&data, sizeof values);
  cuMemcpyHtoD_v2(data, values, sizeof values);
  cuMemcpyHtoD_v2(bias, &thousand, 4);
  struct { void *p; int n; } side_by_side = {(char *) data + 32, n};
  size_t bytes = 12;
  void *arguments[] = {&side_by_side.p, &side_by_side.n};
  void *extra[] = {(void *) 1, &side_by_side, (void *) 2, &bytes, NULL};
  for (int launch = 0; launch < 3; launch++) {
    void **first = launch == 0 ? arguments : NULL;
    if (cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, first, first == NULL ? extra : NULL)) return 1;
  }
  cuMemcpyDtoH_v2(values, data, sizeof values);
  printf("%d %d %d\n", values[7], values[8], values[39]);
  return cuMemFree_v2(other) || cuMemFree_v2(data);
}
