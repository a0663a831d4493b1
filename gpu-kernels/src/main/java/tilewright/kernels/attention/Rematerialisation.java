package tilewright.kernels.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;

/**
 * The addresses and bounds that a loop over blocks of keys computes anew although the assembler would compute them
 * ahead of it, and spill other registers for them.
 */
enum Rematerialisation {
  /** The assembler decides. */
  NONE,
  /** Addresses of both products' operands in shared memory, and the bounds of masks. */
  OPERANDS,
  /** Besides, addresses of the copies from global memory. */
  COPIES;

  /** The thread's number for operands and masks. */
  I32 forOperands(Scope k, I32 thread, AttentionTiling tiling) {
    return this == NONE ? thread : opaque(k, thread, tiling);
  }

  /** The thread's number for copies. */
  I32 forCopies(Scope k, I32 thread, AttentionTiling tiling) {
    return this == COPIES ? opaque(k, thread, tiling) : thread;
  }

  private static I32 opaque(Scope k, I32 thread, AttentionTiling tiling) {
    return Shuffle.own(k, thread, tiling.threads() - 1);
  }
}
