package tilewright.async.schedule;

import tilewright.numerics.ElementType;

/**
 * The part of a tile that a CTA's warpgroups hold in registers.
 *
 * @param type FP32, f16 or 32-bit integers; those of f16 are of no use to other CTAs
 * @param quads accumulators of a thread, in fours
 * @param warpgroups that hold them
 */
public record Accumulators(ElementType type, int quads, int warpgroups) {
  /** Registers that are handed on together: 16 bytes. */
  static final int QUAD = 4;
}
