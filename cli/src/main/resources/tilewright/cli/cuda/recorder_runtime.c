// ==== The runtime API ====

API void **__cudaRegisterFatBinary(const void *wrapper) {
  void **handle = OWN(void **, "__cudaRegisterFatBinary", const void *)(wrapper);
  loaded(handle, wrapper);
  return handle;
}

API void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit, void *tid,
    void *bid, void *block, void *grid, int *warp) {
  OWN(void, "__cudaRegisterFunction", void **, const void *, char *, const char *, int, void *, void *, void *, void *,
      int *)(handle, host, device, name, limit, tid, bid, block, grid, warp);
  has_kernel(image_of(handle), host, name, NULL);
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
    int constant, int global) {
  OWN(void, "__cudaRegisterVar", void **, char *, char *, const char *, int, size_t, int, int)(handle, host, device,
      name, external, bytes, constant, global);
  has_variable(image_of(handle), host, NULL, name, bytes);
}

API Error cudaMalloc(void **p, size_t n) { return allocated(OWN(Error, "cudaMalloc", void **, size_t)(p, n), p, n); }
API Error cudaMallocManaged(void **p, size_t n, unsigned flags) {
  return allocated(OWN(Error, "cudaMallocManaged", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cudaMallocAsync(void **p, size_t n, void *stream) {
  return allocated(OWN(Error, "cudaMallocAsync", void **, size_t, void *)(p, n, stream), p, n);
}
API Error cudaMallocHost(void **p, size_t n) {
  return allocated(OWN(Error, "cudaMallocHost", void **, size_t)(p, n), p, n);
}
API Error cudaHostAlloc(void **p, size_t n, unsigned flags) {
  return allocated(OWN(Error, "cudaHostAlloc", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  Error e = OWN(Error, "cudaMallocPitch", void **, size_t *, size_t, size_t)(p, pitch, width, height);
  return allocated(e, p, e == 0 ? *pitch * height : 0);
}
API Error cudaFree(void *p) { forget(p); return OWN(Error, "cudaFree", void *)(p); }
API Error cudaFreeHost(void *p) { forget(p); return OWN(Error, "cudaFreeHost", void *)(p); }
API Error cudaFreeAsync(void *p, void *stream) {
  forget(p);
  return OWN(Error, "cudaFreeAsync", void *, void *)(p, stream);
}

static void *with_entry(const char *name);

static Error replaced(Error e, const char *name, void **function) {
  if (e != 0 || *function == NULL) return e;
  void *ours = with_entry(name);
  if (ours != NULL) *function = ours;
  return e;
}

API Error cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status) {
  return replaced(OWN(Error, "cudaGetDriverEntryPoint", const char *, void **, uint64_t, int *)(name, function, flags,
      status), name, function);
}
API Error cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags,
    int *status) {
  return replaced(OWN(Error, "cudaGetDriverEntryPointByVersion", const char *, void **, unsigned, uint64_t, int *)(name,
      function, version, flags, status), name, function);
}

static void *function_of(const void *host) {
  void *function = NULL;
  if (host == NULL) return NULL;
  return OWN(Error, "cudaGetFuncBySymbol", void **, const void *)(&function, host) == 0 ? function : NULL;
}

#define LAUNCHED(host, how, call) RECORDED(kernel(host), function_of(host), how, call)

API Error cudaLaunchKernel(const void *function, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  How how = {grid, block, ONE, shared, 0, stream, arguments, NULL};
  LAUNCHED(function, how, OWN(Error, "cudaLaunchKernel", const void *, Dim, Dim, void **, size_t, void *)(function,
      grid, block, arguments, shared, stream));
}

// nvcc 13 launches by the kernel's handle.
API Error __cudaLaunchKernel(void *handle, Dim grid, Dim block, void **arguments, size_t shared, void *stream) {
  const void *function = NULL;
  for (Kernel *k = kernels; k != NULL && function == NULL; k = k->next) {
    void *of_kernel = NULL;
    if (k->telling != NULL) continue;
    Error e = OWN(Error, "cudaGetKernel", void **, const void *)(&of_kernel, k->known);
    if (e == 0 && of_kernel == handle) function = k->known;
  }
  How how = {grid, block, ONE, shared, 0, stream, arguments, NULL};
  LAUNCHED(function, how, OWN(Error, "__cudaLaunchKernel", void *, Dim, Dim, void **, size_t, void *)(handle, grid,
      block, arguments, shared, stream));
}

API Error cudaLaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments, size_t shared,
    void *stream) {
  How how = {grid, block, ONE, shared, 1, stream, arguments, NULL};
  LAUNCHED(function, how, OWN(Error, "cudaLaunchCooperativeKernel", const void *, Dim, Dim, void **, size_t, void *)(
      function, grid, block, arguments, shared, stream));
}

typedef struct {
  Dim grid, block;
  size_t shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
} RuntimeConfig;

API Error cudaLaunchKernelExC(const RuntimeConfig *c, const void *function, void **arguments) {
  How how = {c->grid, c->block, ONE, c->shared, 0, c->stream, arguments, NULL};
  LAUNCHED(function, with_attributes(how, c->attributes, c->count), OWN(Error, "cudaLaunchKernelExC",
      const RuntimeConfig *, const void *, void **)(c, function, arguments));
}
