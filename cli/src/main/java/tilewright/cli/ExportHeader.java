package tilewright.cli;

import java.util.Locale;
import java.util.stream.Collectors;

/** A C header with one function that launches an exported kernel by the CUDA driver. */
final class ExportHeader {
  private ExportHeader() {}

  static String of(ExportManifest m) {
    var prefix = m.entry().toUpperCase(Locale.ROOT);
    var parameters = m.arguments().stream().map(a -> type(a) + " " + a.name()).collect(Collectors.joining(", "));
    var pointers = m.arguments().stream().map(a -> "&" + a.name()).collect(Collectors.joining(", "));
    return """
        /* %1$s (%2$s), made by Tilewright. Load %3$s or a cubin by cuModuleLoad, take "%1$s" by cuModuleGetFunction.
           Extents and strides count elements; the manifest says what the kernel assumes of them. */
        #ifndef TILEWRIGHT_%4$s_H
        #define TILEWRIGHT_%4$s_H
        #include <cuda.h>

        enum {
          %4$s_BLOCK_X = %5$d,
          %4$s_BLOCK_Y = %6$d,
          %4$s_BLOCK_Z = %7$d,
          %4$s_DYNAMIC_SHARED_BYTES = %8$d
        };

        static inline unsigned %1$s_ceil_div(long long a, long long b) { return (unsigned)((a + b - 1) / b); }
        static inline unsigned %1$s_at_least_one(unsigned blocks) { return blocks > 0 ? blocks : 1; }

        /* Enqueues one launch. %9$s */
        static inline CUresult %1$s_launch(CUfunction function, CUstream stream, %10$s) {
          void *arguments[] = {%11$s};
          CUresult result = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               %4$s_DYNAMIC_SHARED_BYTES);
          if (result != CUDA_SUCCESS) return result;
          return cuLaunchKernel(function, %12$s, %13$s, %14$s,
                                %4$s_BLOCK_X, %4$s_BLOCK_Y, %4$s_BLOCK_Z,
                                %4$s_DYNAMIC_SHARED_BYTES, stream, arguments, 0);
        }

        #endif
        """.formatted(m.entry(), m.kernel(), m.ptx(), prefix, m.block().get(0), m.block().get(1), m.block().get(2),
            m.dynamicSharedBytes(), validity(m), parameters, pointers, blocks(m, 0), blocks(m, 1), blocks(m, 2));
  }

  private static String validity(ExportManifest m) {
    return m.grid().formula().isPresent() ? "Any extents."
        : "Only for these extents: " + m.grid().extents() + ".";
  }

  private static String blocks(ExportManifest m, int direction) {
    if (m.grid().formula().isEmpty()) return m.grid().blocks().get(direction).toString();
    var d = m.grid().formula().get().get(direction);
    var factors = d.tiles().entrySet().stream()
        .map(e -> " * %s_ceil_div(%s, %d)".formatted(m.entry(), e.getKey(), e.getValue()))
        .collect(Collectors.joining());
    return "%s_at_least_one(%d%s)".formatted(m.entry(), d.factor(), factors);
  }

  private static String type(ExportManifest.Argument argument) {
    if (argument instanceof ExportManifest.Argument.Pointer) return "CUdeviceptr";
    return switch (argument.type()) {
      case "s64", "b64" -> "long long";
      case "u64" -> "unsigned long long";
      case "s32", "b32" -> "int";
      case "u32" -> "unsigned";
      case "f32" -> "float";
      case "f64" -> "double";
      default -> throw new IllegalStateException("no C type for " + argument.type());
    };
  }
}
