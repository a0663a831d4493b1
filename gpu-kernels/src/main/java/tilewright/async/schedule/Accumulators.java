package tilewright.async.schedule;

import tilewright.numerics.ElementType;

/**
 * What a CTA's warpgroups hold of a tile in registers.
 *
 * @param type FP32 or 32-bit integers
 * @param quads registers of a thread, in fours
 * @param warpgroups that hold them
 */
public record Accumulators(ElementType type, int quads, int warpgroups) {
  /** Registers that are handed on together: 16 bytes. */
  static final int QUAD = 4;
}
