// The CUDA driver API: the linker, of one PTX text or one fat binary. Modules are loaded from what it gives back.
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// CUjit_option and CUjitInputType.
enum { WALL_TIME = 2, INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };
enum { INPUT_PTX = 1, INPUT_FAT_BINARY = 2 };

// The image, with a null behind it.
typedef struct { char *image; size_t bytes; } Link;

// Logs are empty, and it takes no time.
static void answer(unsigned count, const int *options, void **values) {
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == WALL_TIME) memset(&values[i], 0, sizeof(float));
    if (options[i] == INFO_LOG_BYTES || options[i] == ERROR_LOG_BYTES) values[i] = NULL;
    if ((options[i] == INFO_LOG || options[i] == ERROR_LOG) && values[i] != NULL) *(char *) values[i] = 0;
  }
}

API Result cuLinkCreate_v2(unsigned count, int *options, void **values, Link **state) {
  if (state == NULL || (count > 0 && (options == NULL || values == NULL))) return INVALID_VALUE;
  answer(count, options, values);
  *state = calloc(1, sizeof **state);
  return result(SUCCESS);
}

API Result cuLinkAddData_v2(Link *l, int type, const void *data, size_t bytes, const char *name, unsigned count,
    int *options, void **values) {
  (void) name; (void) count; (void) options; (void) values;
  if (l == NULL || data == NULL || bytes == 0) return INVALID_VALUE;
  if (type != INPUT_PTX && type != INPUT_FAT_BINARY) return tw_unsupported("cuLinkAddData of other than PTX");
  if (l->image != NULL) return tw_unsupported("cuLinkAddData of more than one input");
  l->image = calloc(1, bytes + 1);
  l->bytes = bytes;
  memcpy(l->image, data, bytes);
  return result(SUCCESS);
}

API Result cuLinkAddFile_v2(Link *l, int type, const char *path, unsigned count, int *options, void **values) {
  FILE *f = path == NULL ? NULL : fopen(path, "rb");
  if (f == NULL) return FILE_NOT_FOUND;
  fseek(f, 0, SEEK_END);
  long bytes = ftell(f);
  rewind(f);
  char *data = malloc(bytes + 1);
  bool read = fread(data, 1, bytes, f) == (size_t) bytes;
  Result e = read ? cuLinkAddData_v2(l, type, data, bytes, path, count, options, values) : FILE_NOT_FOUND;
  fclose(f);
  free(data);
  return e;
}

API Result cuLinkComplete(const Link *l, void **image, size_t *bytes) {
  if (l == NULL || l->image == NULL || image == NULL) return INVALID_VALUE;
  *image = l->image;
  if (bytes != NULL) *bytes = l->bytes;
  return result(SUCCESS);
}

API Result cuLinkDestroy(Link *l) {
  if (l == NULL) return INVALID_HANDLE;
  free(l->image);
  free(l);
  return result(SUCCESS);
}
