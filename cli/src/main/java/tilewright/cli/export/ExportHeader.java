package tilewright.cli.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tilewright.ptx.LaunchFeature;

/** A C header with one function that launches an exported kernel by the CUDA driver, and one for each tensor map. */
final class ExportHeader {
  private ExportHeader() {}

  static String of(ExportManifest m) {
    var prefix = m.name().toUpperCase(Locale.ROOT);
    return """
        /* %1$s (%2$s), made by Tilewright. Load %3$s or a cubin by cuModuleLoad, take "%14$s" by cuModuleGetFunction.
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
        """.formatted(m.name(), m.kernel(), m.ptx(), prefix, m.block().get(0), m.block().get(1), m.block().get(2),
            m.dynamicSharedBytes(), maps(m), validity(m), parameters(m), arguments(m), configuration(m, prefix), m.entry());
  }

  private static String maps(ExportManifest m) {
    return m.arguments().stream().filter(ExportManifest.Argument.TensorMap.class::isInstance)
        .map(a -> "\n" + ExportTensorMap.encoder(m.name(), (ExportManifest.Argument.TensorMap) a))
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
    var attributes = attributes(m);
    if (attributes.isEmpty()) return launch.indent(2).stripTrailing();
    var text = new StringBuilder(launch).append("CUlaunchAttribute attributes[%d];\n".formatted(attributes.size()));
    for (int i = 0; i < attributes.size(); i++) {
      for (var line : attributes.get(i)) text.append("attributes[%d].%s;\n".formatted(i, line));
    }
    text.append("launch.attrs = attributes;\nlaunch.numAttrs = %d;\n".formatted(attributes.size()));
    return text.toString().indent(2).stripTrailing();
  }

  /** Returns the C assignments of each launch attribute that the kernel needs. */
  private static List<List<String>> attributes(ExportManifest m) {
    var attributes = new ArrayList<List<String>>();
    if (m.cluster().stream().anyMatch(blocks -> blocks > 1)) {
      attributes.add(List.of("id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
          "value.clusterDim.x = " + m.cluster().get(0), "value.clusterDim.y = " + m.cluster().get(1),
          "value.clusterDim.z = " + m.cluster().get(2)));
    }
    for (var name : m.features()) {
      attributes.add(switch (LaunchFeature.parse(name).orElseThrow()) {
        case COOPERATIVE -> List.of("id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE", "value.cooperative = 1");
        case PROGRAMMATIC -> List.of("id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
            "value.programmaticStreamSerializationAllowed = 1");
      });
    }
    return attributes;
  }

  private static String validity(ExportManifest m) {
    var text = new StringBuilder(m.grid().formula().isPresent() ? "Extents are at most 2^30"
        : "Only for these extents: " + m.grid().extents());
    if (m.grid().formula().isPresent()) rules(m).forEach(rule -> text.append("; ").append(rule));
    text.append('.');
    if (!m.ahead().isEmpty()) text.append("\n   It reads ").append(String.join(", ", m.ahead()))
        .append(" before the stream's earlier kernels have ended, which must not write that.");
    for (var part : m.scratch()) text.append("\n   %s are %d bytes of the kernel's own: zeros before the first launch."
        .formatted(part.name(), part.bytes()));
    return text.toString();
  }

  /** Describes, for a comment of the header, the values that extents may have. */
  private static Set<String> rules(ExportManifest m) {
    var rules = new TreeSet<String>();
    for (var argument : m.arguments()) {
      switch (argument) {
        case ExportManifest.Argument.Pointer p -> rules.addAll(rules(p.fixed(), p.multiples()));
        case ExportManifest.Argument.TensorMap t -> rules.addAll(rules(t.fixed(), t.multiples()));
        default -> {}
      }
    }
    m.counts().forEach((name, count) -> rules.add("%s is ceil(%s/%d)".formatted(name, count.of(), count.each())));
    return rules;
  }

  private static List<String> rules(Map<String, Integer> fixed, Map<String, Integer> multiples) {
    var rules = new ArrayList<String>();
    fixed.forEach((name, extent) -> rules.add(name + " is " + extent));
    multiples.forEach((name, unit) -> {
      if (unit > 1 && !fixed.containsKey(name)) rules.add(name + " is a multiple of " + unit);
    });
    return rules;
  }

  private static String blocks(ExportManifest m, int direction) {
    if (m.grid().formula().isEmpty()) return m.grid().blocks().get(direction).toString();
    var d = m.grid().formula().get().get(direction);
    var factors = d.tiles().entrySet().stream()
        .map(e -> " * %s_ceil_div(%s, %d)".formatted(m.name(), e.getKey(), e.getValue()))
        .collect(Collectors.joining());
    return "%s_clamp(%d%s, %d)".formatted(m.name(), d.factor(), factors, d.most().orElse(Integer.MAX_VALUE));
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
