package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * Whether query {@code q} sees key {@code k} in head {@code h} of batch entry {@code b}, both counted from their
 * sequence's begin: a Java lambda that is traced into the kernel (FlexAttention's mask_mod).
 */
@FunctionalInterface
public interface MaskMod {
  Pred apply(I32 b, I32 h, I32 q, I32 k);

  /** The mask that shows a key where both do. */
  default MaskMod and(MaskMod other) {
    return (b, h, q, k) -> apply(b, h, q, k).and(other.apply(b, h, q, k));
  }

  /** The mask that shows a key where this one hides it. */
  default MaskMod not() {
    return (b, h, q, k) -> apply(b, h, q, k).not();
  }

  /** The mask that shows a key where either does. */
  default MaskMod or(MaskMod other) {
    return (b, h, q, k) -> apply(b, h, q, k).or(other.apply(b, h, q, k));
  }
}
