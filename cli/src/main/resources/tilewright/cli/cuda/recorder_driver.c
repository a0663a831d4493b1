// ==== The driver API ====

// The recorder's function of that name; the driver gives the newest version of one that has several.
static void *with_entry(const char *name) {
  char newest[256];
  snprintf(newest, sizeof newest, "%s_v2", name);
  const char *names[] = {newest, name};
  Dl_info here, there;
  if (dladdr((void *) with_entry, &here) == 0) return NULL;
  for (int i = 0; i < 2; i++) {
    void *found = dlsym(RTLD_DEFAULT, names[i]);
    if (found != NULL && dladdr(found, &there) != 0 && there.dli_fbase == here.dli_fbase) return found;
  }
  return NULL;
}

API Error cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  return replaced(DRIVER("cuGetProcAddress_v2", const char *, void **, int, uint64_t, int *)(name, function, version,
      flags, status), name, function);
}

static Error has_loaded(Error e, void **owner, const void *image) {
  if (e == 0) loaded(*owner, image);
  return e;
}

API Error cuModuleLoadData(void **m, const void *image) {
  return has_loaded(DRIVER("cuModuleLoadData", void **, const void *)(m, image), m, image);
}
API Error cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *options, void **values) {
  return has_loaded(DRIVER("cuModuleLoadDataEx", void **, const void *, unsigned, int *, void **)(m, image, n, options,
      values), m, image);
}
API Error cuModuleLoadFatBinary(void **m, const void *image) {
  return has_loaded(DRIVER("cuModuleLoadFatBinary", void **, const void *)(m, image), m, image);
}
API Error cuModuleLoad(void **m, const char *path) {
  Error e = DRIVER("cuModuleLoad", void **, const char *)(m, path);
  FILE *f = e == 0 && folder() != NULL ? fopen(path, "rb") : NULL;
  if (f == NULL || fseek(f, 0, SEEK_END) != 0) return e;
  size_t n = ftell(f);
  rewind(f);
  char *image = calloc(1, n + 1);
  if (fread(image, 1, n, f) == n) loaded(*m, image);
  free(image);
  fclose(f);
  return e;
}
API Error cuLibraryLoadData(void **l, const void *image, int *options, void **values, unsigned n, int *more,
    void **of_more, unsigned count) {
  return has_loaded(DRIVER("cuLibraryLoadData", void **, const void *, int *, void **, unsigned, int *, void **,
      unsigned)(l, image, options, values, n, more, of_more, count), l, image);
}

API Error cuModuleGetFunction(void **function, void *m, const char *name) {
  Error e = DRIVER("cuModuleGetFunction", void **, void *, const char *)(function, m, name);
  if (e == 0) has_kernel(image_of(m), *function, name, "cuFuncGetParamInfo");
  return e;
}
API Error cuLibraryGetKernel(void **handle, void *l, const char *name) {
  Error e = DRIVER("cuLibraryGetKernel", void **, void *, const char *)(handle, l, name);
  if (e == 0) has_kernel(image_of(l), *handle, name, "cuKernelGetParamInfo");
  return e;
}
API Error cuKernelGetFunction(void **function, void *handle) {
  Error e = DRIVER("cuKernelGetFunction", void **, void *)(function, handle);
  Kernel *k = kernel(handle);
  if (e == 0 && k != NULL) has_kernel(k->image, *function, k->name, "cuFuncGetParamInfo");
  return e;
}

API Error cuModuleGetGlobal_v2(void **address, size_t *bytes, void *m, const char *name) {
  void *at;
  size_t n;
  Error e = DRIVER("cuModuleGetGlobal_v2", void **, size_t *, void *, const char *)(&at, &n, m, name);
  if (e != 0) return e;
  has_variable(image_of(m), NULL, at, name, n);
  if (address != NULL) *address = at;
  if (bytes != NULL) *bytes = n;
  return e;
}

API Error cuMemAlloc_v2(void **p, size_t n) { return allocated(DRIVER("cuMemAlloc_v2", void **, size_t)(p, n), p, n); }
API Error cuMemAllocManaged(void **p, size_t n, unsigned flags) {
  return allocated(DRIVER("cuMemAllocManaged", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cuMemAllocAsync(void **p, size_t n, void *stream) {
  return allocated(DRIVER("cuMemAllocAsync", void **, size_t, void *)(p, n, stream), p, n);
}
API Error cuMemAllocPitch_v2(void **p, size_t *pitch, size_t width, size_t height, unsigned element) {
  Error e = DRIVER("cuMemAllocPitch_v2", void **, size_t *, size_t, size_t, unsigned)(p, pitch, width, height, element);
  return allocated(e, p, e == 0 ? *pitch * height : 0);
}
API Error cuMemAllocHost_v2(void **p, size_t n) {
  return allocated(DRIVER("cuMemAllocHost_v2", void **, size_t)(p, n), p, n);
}
API Error cuMemHostAlloc(void **p, size_t n, unsigned flags) {
  return allocated(DRIVER("cuMemHostAlloc", void **, size_t, unsigned)(p, n, flags), p, n);
}
API Error cuMemFree_v2(void *p) { forget(p); return DRIVER("cuMemFree_v2", void *)(p); }
API Error cuMemFreeHost(void *p) { forget(p); return DRIVER("cuMemFreeHost", void *)(p); }
API Error cuMemFreeAsync(void *p, void *stream) {
  forget(p);
  return DRIVER("cuMemFreeAsync", void *, void *)(p, stream);
}

API Error cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill) {
  Error e = DRIVER("cuTensorMapEncodeTiled", void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
      const uint32_t *, const uint32_t *, int, int, int, int)(map, type, rank, address, extents, strides, box, steps,
      interleave, swizzle, promotion, fill);
  return encoded(e, map, type, rank, address, extents, strides, box, steps, interleave, swizzle, promotion, fill);
}

// Arguments that lie side by side: pairs of a name, 1 for the buffer, and a value, until 0.
static const char *packed(void **extra) {
  for (; extra != NULL && extra[0] != NULL; extra += 2) if (extra[0] == (void *) 1) return extra[1];
  return NULL;
}

API Error cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void *stream, void **arguments, void **extra) {
  How how = {{gx, gy, gz}, {bx, by, bz}, ONE, shared, 0, stream, arguments, packed(extra)};
  RECORDED(kernel(function), function, how, DRIVER("cuLaunchKernel", void *, unsigned, unsigned,
      unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)(function, gx, gy, gz, bx, by, bz,
      shared, stream, arguments, extra));
}

API Error cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, void *stream, void **arguments) {
  How how = {{gx, gy, gz}, {bx, by, bz}, ONE, shared, 1, stream, arguments, NULL};
  RECORDED(kernel(function), function, how, DRIVER("cuLaunchCooperativeKernel", void *, unsigned,
      unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **)(function, gx, gy, gz, bx, by, bz,
      shared, stream, arguments));
}

typedef struct {
  Dim grid, block;
  unsigned shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
} DriverConfig;

API Error cuLaunchKernelEx(const DriverConfig *c, void *function, void **arguments, void **extra) {
  How how = {c->grid, c->block, ONE, c->shared, 0, c->stream, arguments, packed(extra)};
  RECORDED(kernel(function), function, with_attributes(how, c->attributes, c->count),
      DRIVER("cuLaunchKernelEx", const DriverConfig *, void *, void **, void **)(c, function, arguments, extra));
}
