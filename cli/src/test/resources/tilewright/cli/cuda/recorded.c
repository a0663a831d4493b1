// A program whose kernel adds each thread's number, an argument and a variable to an array; nvcc would register it so.
#include <stddef.h>
#include <stdio.h>
#include "recorded.h"

typedef struct { unsigned x, y, z; } Dim;

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaLaunchKernel(const void *, Dim, Dim, void **, size_t, void *);
void **__cudaRegisterFatBinary(const void *);
void __cudaRegisterFunction(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);

static const struct { int magic, version; const void *image; void *file; } wrapper = {0x466243b1, 1, ptx, NULL};
char stub;
char bias;

int main(void) {
  void **image = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(image, &stub, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(image, &bias, "bias", "bias", 0, 4, 0, 0);
  int *data, *other, n = 100, values[40], thousand = 1000;
  for (int i = 0; i < 40; i++) values[i] = i;
  cudaMalloc((void **) &other, 64);
  cudaMalloc((void **) &data, sizeof values);
  cudaMemcpy(data, values, sizeof values, 1);
  cudaMemcpyToSymbol(&bias, &thousand, 4, 0, 1);
  for (int launch = 0; launch < 3; launch++) {
    int *from = data + 8;
    void *arguments[] = {&from, &n};
    if (cudaLaunchKernel(&stub, (Dim) {1, 1, 1}, (Dim) {32, 1, 1}, arguments, 0, NULL)) return 1;
  }
  cudaMemcpy(values, data, sizeof values, 2);
  printf("%d %d %d\n", values[7], values[8], values[39]);
  return cudaFree(other) || cudaFree(data);
}
