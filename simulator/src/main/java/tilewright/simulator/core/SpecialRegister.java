package tilewright.simulator.core;

import java.util.Map;
import java.util.Optional;

/** The 32-bit special registers. A launch is one cluster a CTA, on one SM. */
public enum SpecialRegister {
  TID_X, TID_Y, TID_Z, NTID_X, NTID_Y, NTID_Z, CTAID_X, CTAID_Y, CTAID_Z, NCTAID_X, NCTAID_Y, NCTAID_Z, LANEID, WARPID,
  NWARPID, CLOCK, CLOCK_HI, LANEMASK_EQ, LANEMASK_LE, LANEMASK_LT, LANEMASK_GE, LANEMASK_GT, DYNAMIC_SMEM_SIZE,
  TOTAL_SMEM_SIZE, NSMID, SMID, ZERO, ONE;

  private static final SpecialRegister[] ALL = values();
  private static final Map<String, SpecialRegister> CLUSTER = Map.ofEntries(
      Map.entry("%clusterid.x", CTAID_X), Map.entry("%clusterid.y", CTAID_Y), Map.entry("%clusterid.z", CTAID_Z),
      Map.entry("%nclusterid.x", NCTAID_X), Map.entry("%nclusterid.y", NCTAID_Y), Map.entry("%nclusterid.z", NCTAID_Z),
      Map.entry("%cluster_ctaid.x", ZERO), Map.entry("%cluster_ctaid.y", ZERO), Map.entry("%cluster_ctaid.z", ZERO),
      Map.entry("%cluster_nctaid.x", ONE), Map.entry("%cluster_nctaid.y", ONE), Map.entry("%cluster_nctaid.z", ONE),
      Map.entry("%cluster_ctarank", ZERO), Map.entry("%cluster_nctarank", ONE));

  static SpecialRegister at(int code) {
    return ALL[code];
  }

  /** By its PTX name, such as {@code %tid.x}. */
  public static Optional<SpecialRegister> named(String name) {
    if (CLUSTER.containsKey(name)) return Optional.of(CLUSTER.get(name));
    var constant = name.substring(1).replace('.', '_').toUpperCase(java.util.Locale.ROOT);
    for (var r : ALL) if (r.name().equals(constant) && r != ZERO && r != ONE) return Optional.of(r);
    return Optional.empty();
  }
}
