package tilewright.kernels.attention;

/** The place where P·V of 8-bit operands is summed over the keys. */
public enum Accumulation {
  /** The tensor cores' accumulators, over all keys: on SM89 and SM90 these keep 13 fraction bits and truncate. */
  FAST,
  /** The tensor cores' accumulators over a block of keys, which are added to O in FP32 (two-level accumulation). */
  PROMOTED
}
