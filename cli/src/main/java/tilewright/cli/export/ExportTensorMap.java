package tilewright.cli.export;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The C function that makes a tensor map of an exported kernel. */
final class ExportTensorMap {
  /** {@code CUtensorMapDataType} by the element's name (cuda.h). */
  private static final Map<String, String> TYPES = Map.of("u8", "UINT8", "s32", "INT32", "f16", "FLOAT16", "f32",
      "FLOAT32", "f64", "FLOAT64", "bf16", "BFLOAT16", "tf32", "TFLOAT32", "16u4_align8b", "16U4_ALIGN8B",
      "16u4_align16b", "16U4_ALIGN16B", "16u6_align16b", "16U6_ALIGN16B");

  private ExportTensorMap() {}

  static String encoder(String entry, ExportManifest.Argument.TensorMap map) {
    var extents = map.order().stream().map(map.extents()::get).toList();
    // The innermost mode is contiguous; a stride that is never walked need not be aligned.
    var strides = IntStream.range(1, extents.size()).mapToObj(i -> "(cuuint64_t)(%1$s > 1 ? %2$s * %3$d / 8 : 16)"
        .formatted(extents.get(i), stride(map, extents.get(i)), map.bits())).toList();
    var parameters = Stream.concat(map.extents().stream().map(e -> "long long " + e),
        extents.stream().skip(1).map(e -> "long long " + stride(map, e))).collect(Collectors.joining(", "));
    return """
        /* The tensor map of %2$s. */
        static inline CUresult %1$s_encode_%3$s(CUtensorMap *map, CUdeviceptr %2$s, %4$s) {
          cuuint64_t extents[] = {%5$s};
          cuuint64_t strides[] = {%6$s};
          cuuint32_t box[] = {%7$s};
          cuuint32_t steps[] = {%8$s};
          return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_%9$s, %10$d, (void *)%2$s, extents, strides,
                                        box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_SWIZZLE_%11$s, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        }
        """.formatted(entry, map.tensor(), map.name(), parameters,
            extents.stream().map("(cuuint64_t)(%1$s > 0 ? %1$s : 1)"::formatted).collect(Collectors.joining(", ")),
            strides.isEmpty() ? "16" : String.join(", ", strides),
            map.box().stream().map(Object::toString).collect(Collectors.joining(", ")),
            map.steps().stream().map(Object::toString).collect(Collectors.joining(", ")), type(map.element()),
            extents.size(), map.swizzle().toUpperCase(Locale.ROOT));
  }

  private static String stride(ExportManifest.Argument.TensorMap map, String extent) {
    return map.tensor() + "_stride_" + extent;
  }

  private static String type(String element) {
    var type = TYPES.get(element);
    if (type == null) throw new IllegalStateException("no CUtensorMapDataType for " + element);
    return type;
  }
}
