package tilewright.simulator.core;

import java.util.Locale;
import java.util.Optional;

/** The 32-bit special registers. All CTAs are on one SM. {@link Warp} keeps the first ones as a table. */
public enum SpecialRegister {
  TID_X, TID_Y, TID_Z, NTID_X, NTID_Y, NTID_Z, CTAID_X, CTAID_Y, CTAID_Z, NCTAID_X, NCTAID_Y, NCTAID_Z, LANEID, WARPID,
  NWARPID, CLOCK, CLOCK_HI, LANEMASK_EQ, LANEMASK_LE, LANEMASK_LT, LANEMASK_GE, LANEMASK_GT, DYNAMIC_SMEM_SIZE,
  TOTAL_SMEM_SIZE, AGGR_SMEM_SIZE, NSMID, SMID, CLUSTERID_X, CLUSTERID_Y, CLUSTERID_Z,
  NCLUSTERID_X, NCLUSTERID_Y, NCLUSTERID_Z,
  CLUSTER_CTAID_X, CLUSTER_CTAID_Y, CLUSTER_CTAID_Z, CLUSTER_NCTAID_X, CLUSTER_NCTAID_Y, CLUSTER_NCTAID_Z,
  CLUSTER_CTARANK, CLUSTER_NCTARANK, IS_EXPLICIT_CLUSTER, ENVREG1, ENVREG2;

  private static final SpecialRegister[] ALL = values();

  static SpecialRegister at(int code) {
    return ALL[code];
  }

  /** By its PTX name, such as {@code %tid.x}. */
  public static Optional<SpecialRegister> named(String name) {
    var constant = name.substring(1).replace('.', '_').toUpperCase(Locale.ROOT);
    for (var r : ALL) if (r.name().equals(constant)) return Optional.of(r);
    return Optional.empty();
  }
}
