package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.decision.Certificate;
import tilewright.layout.tuple.IntTuple;

/**
 * A refinement of the right operand on which the left one is linear: no coordinate's digits in the left operand carry,
 * and each stride of the result is the left operand's offset of the refined stride (Cecka 2026, section 3.3).
 */
record CompositionCertificate(Layout outer, Layout inner, Layout result) implements Certificate {

  @Override
  public boolean holds() {
    if (!inner.shape().isCompatibleWith(result.shape())) return false;
    if (result.size() == 0) return true;
    var refined = refined();
    long[] extents = refined.flatShape();
    long[] strides = refined.flatStride();
    long[] offsets = result.flatStride();
    var numerals = Numerals.of(outer);
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 1) continue;
      if (offsets[i] != numerals.at(strides[i])) return false;
      if (strides[i] < 0 && numerals.digits() > 1) return false;
    }
    return carries().stream().allMatch(carry -> carry == 0);
  }

  /**
   * Γ: the largest carry out of each digit of the coalesced left operand but the last, Γ_(s+1) = ⌊(Σ_s + Γ_s) / M_s⌋,
   * where Σ_s adds up (extent − 1) · digit s of the stride over the refined right operand's modes.
   */
  List<Long> carries() {
    var numerals = Numerals.of(outer);
    var modes = Modes.of(refined()).list();
    var carries = new ArrayList<Long>();
    long carry = 0;
    for (int digit = 0; digit + 1 < numerals.digits(); digit++) {
      for (var mode : modes) {
        carry = Math.addExact(carry, Math.multiplyExact(mode.extent() - 1, numerals.digit(mode.stride(), digit)));
      }
      carry /= numerals.extent(digit);
      carries.add(carry);
    }
    return carries;
  }

  /** The right operand, each of its modes cut as the result's are. */
  Layout refined() {
    return refined(inner.shape(), inner.stride(), result.shape());
  }

  /** The right operand with each integer of its shape cut as the result's shape is. */
  private static Layout refined(IntTuple shape, IntTuple stride, IntTuple finer) {
    if (shape instanceof IntTuple.Leaf && stride instanceof IntTuple.Leaf(long step)) {
      if (finer instanceof IntTuple.Leaf(long extent)) return Layout.of(extent, step);
      long[] extents = finer.flatten();
      var modes = new Layout[extents.length];
      for (int i = 0; i < extents.length; i++) {
        modes[i] = Layout.of(extents[i], step);
        step = Math.multiplyExact(step, extents[i]);
      }
      return Layout.of(modes);
    }
    var modes = new Layout[shape.rank()];
    for (int i = 0; i < modes.length; i++) modes[i] = refined(shape.mode(i), stride.mode(i), finer.mode(i));
    return Layout.of(modes);
  }

  @Override
  public String explain() {
    return "no digit of a coordinate of " + result.shape() + " carries in " + outer + " (Γ = " + carries()
        + "), which maps the strides of " + refined() + " to those of " + result;
  }
}
