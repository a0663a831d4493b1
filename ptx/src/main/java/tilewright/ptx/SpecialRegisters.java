package tilewright.ptx;

import java.util.Optional;
import java.util.Set;

/** The predefined read-only registers (PTX ISA, Special Registers). */
final class SpecialRegisters {
  private static final Set<String> VECTORS = Set.of("%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid",
      "%cluster_ctaid", "%cluster_nctaid");
  private static final Set<String> SCALARS = Set.of("%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
      "%is_explicit_cluster", "%cluster_ctarank", "%cluster_nctarank", "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
      "%lanemask_ge", "%lanemask_gt", "%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo",
      "%globaltimer_hi", "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%current_graph_exec",
      "%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap",
      "%reserved_smem_offset_0", "%reserved_smem_offset_1");
  private static final Set<String> ELEMENTS = Set.of("x", "y", "z", "w");

  private SpecialRegisters() {}

  static boolean contains(String name) {
    int dot = name.indexOf('.');
    if (dot >= 0) return VECTORS.contains(name.substring(0, dot)) && ELEMENTS.contains(name.substring(dot + 1));
    return VECTORS.contains(name) || SCALARS.contains(name) || numbered(name, "%envreg", 32) || numbered(name, "%pm", 8)
        || name.endsWith("_64") && numbered(name.substring(0, name.length() - 3), "%pm", 8);
  }

  /** The type of a scalar register or of an element; nothing for a vector register as a whole. */
  static Optional<PtxType> type(String name) {
    if (VECTORS.contains(name)) return Optional.empty();
    if (name.equals("%is_explicit_cluster")) return Optional.of(PtxType.PRED);
    boolean wide = name.endsWith("64") || name.equals("%globaltimer") || name.equals("%current_graph_exec");
    return Optional.of(wide ? PtxType.U64 : PtxType.U32);
  }

  private static boolean numbered(String name, String prefix, int count) {
    if (!name.startsWith(prefix)) return false;
    String digits = name.substring(prefix.length());
    return digits.matches("0|[1-9][0-9]?") && Integer.parseInt(digits) < count;
  }
}
