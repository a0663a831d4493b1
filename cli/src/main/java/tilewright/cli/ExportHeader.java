package tilewright.cli;

import java.util.Locale;
import java.util.stream.Collectors;

/** A C header with one function that launches an exported kernel by the CUDA driver, and one for each tensor map. */
final class ExportHeader {
  private ExportHeader() {}

  static String of(ExportManifest m) {
    var prefix = m.entry().toUpperCase(Locale.ROOT);
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
        static inline unsigned %1$s_clamp(unsigned blocks, unsigned most) {
          return blocks < 1 ? 1 : blocks > most ? most : blocks;
        }
        %9$s
        /* Enqueues one launch. %10$s */
        static inline CUresult %1$s_launch(CUfunction function, CUstream stream, %11$s) {
          void *arguments[] = {%12$s};
        %13$s
          CUresult result = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               %4$s_DYNAMIC_SHARED_BYTES);
          if (result != CUDA_SUCCESS) return result;
          return cuLaunchKernelEx(&launch, function, arguments, 0);
        }

        #endif
        """.formatted(m.entry(), m.kernel(), m.ptx(), prefix, m.block().get(0), m.block().get(1), m.block().get(2),
            m.dynamicSharedBytes(), maps(m), validity(m), parameters(m), arguments(m), configuration(m, prefix));
  }

  private static String maps(ExportManifest m) {
    return m.arguments().stream().filter(ExportManifest.Argument.TensorMap.class::isInstance)
        .map(a -> "\n" + ExportTensorMap.encoder(m.entry(), (ExportManifest.Argument.TensorMap) a))
        .collect(Collectors.joining());
  }

  private static String parameters(ExportManifest m) {
    return m.arguments().stream().map(a -> type(a) + a.name()).collect(Collectors.joining(", "));
  }

  private static String arguments(ExportManifest m) {
    return m.arguments().stream().map(a ->
        a instanceof ExportManifest.Argument.TensorMap ? "(void *)" + a.name() : "&" + a.name())
        .collect(Collectors.joining(", "));
  }

  private static String configuration(ExportManifest m, String prefix) {
    var launch = """
          CUlaunchConfig launch = {0};
          launch.gridDimX = %s;
          launch.gridDimY = %s;
          launch.gridDimZ = %s;
          launch.blockDimX = %5$s_BLOCK_X;
          launch.blockDimY = %5$s_BLOCK_Y;
          launch.blockDimZ = %5$s_BLOCK_Z;
          launch.sharedMemBytes = %5$s_DYNAMIC_SHARED_BYTES;
          launch.hStream = stream;
        """.formatted(blocks(m, 0), blocks(m, 1), blocks(m, 2), "", prefix);
    var clusters = """
          CUlaunchAttribute cluster;
          cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
          cluster.value.clusterDim.x = %d;
          cluster.value.clusterDim.y = %d;
          cluster.value.clusterDim.z = %d;
          launch.attrs = &cluster;
          launch.numAttrs = 1;
        """.formatted(m.cluster().get(0), m.cluster().get(1), m.cluster().get(2));
    var text = m.cluster().stream().anyMatch(blocks -> blocks > 1) ? launch + clusters : launch;
    return text.indent(2).stripTrailing();
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
    return "%s_clamp(%d%s, %d)".formatted(m.entry(), d.factor(), factors, d.most().orElse(Integer.MAX_VALUE));
  }

  /** The C type with the space or asterisk that a declaration has after it. */
  private static String type(ExportManifest.Argument argument) {
    return switch (argument) {
      case ExportManifest.Argument.Pointer _ -> "CUdeviceptr ";
      case ExportManifest.Argument.TensorMap _ -> "const CUtensorMap *";
      default -> switch (argument.type()) {
        case "s64", "b64" -> "long long ";
        case "u64" -> "unsigned long long ";
        case "s32", "b32" -> "int ";
        case "u32" -> "unsigned ";
        case "f32" -> "float ";
        case "f64" -> "double ";
        default -> throw new IllegalStateException("no C type for " + argument.type());
      };
    };
  }
}
