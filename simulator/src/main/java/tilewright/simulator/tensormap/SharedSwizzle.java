package tilewright.simulator.tensormap;

import tilewright.ptx.tensormap.SwizzleMode;

/** Where the swizzle modes put a byte of shared memory: an exclusive or on its address (PTX ISA, Swizzling Modes). */
final class SharedSwizzle {
  private SharedSwizzle() {}

  /** The address at which the byte of a linear address lies. */
  public static int apply(SwizzleMode mode, int address) {
    return switch (mode) {
      case NONE -> address;
      case B32, B96 -> address ^ (address >>> 3 & 0x10);
      case B64 -> address ^ (address >>> 3 & 0x30);
      case B128 -> address ^ (address >>> 3 & 0x70);
      case B128_ATOM_32B -> address ^ (address >>> 2 & 0x60);
      // Every other line of 128 bytes also swaps the halves of its units.
      case B128_ATOM_32B_FLIP_8B -> address ^ (address >>> 2 & 0x60) ^ (address >>> 4 & 0x08);
      case B128_ATOM_64B -> address ^ (address >>> 1 & 0x40);
    };
  }
}
