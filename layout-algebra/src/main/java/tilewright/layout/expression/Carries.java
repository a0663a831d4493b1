package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Layout;

/**
 * How far the digits of the left operand of a composition count at the right one's last coordinate, and what they
 * carry: the numbers Σ and Γ by which a composition is decided. The last digit is unbounded.
 */
final class Carries {
  private final List<Piece> pieces = new ArrayList<>();

  /** Multiples t·stride for t below the extent, on which the left operand is linear. */
  private record Piece(long extent, long stride) {}

  /** @param cut the left operand's values at the multiples of the stride, with a mode for each piece */
  void add(long stride, Layout cut) {
    for (long extent : cut.flatShape()) {
      if (extent > 1) pieces.add(new Piece(extent, stride));
      stride = Math.multiplyExact(stride, extent);
    }
  }

  /** @param a the left operand, coalesced */
  void derive(Layout a, Facts facts) {
    long[] extents = a.flatShape();
    long[] rest = pieces.stream().mapToLong(Piece::stride).toArray();
    long carry = 0;
    for (int digit = 0; digit + 1 < extents.length && rest.length > 0; digit++) {
      var terms = new ArrayList<String>();
      long sum = carry;
      for (int i = 0; i < rest.length; i++) {
        long last = pieces.get(i).extent() - 1;
        long step = rest[i] % extents[digit];
        terms.add(last + "·" + step);
        sum = Math.addExact(sum, Math.multiplyExact(last, step));
        rest[i] /= extents[digit];
      }
      if (carry > 0) terms.add(Long.toString(carry));
      carry = sum / extents[digit];
      facts.add("digit " + digit + " of A, below " + extents[digit] + ": " + String.join(" + ", terms) + " = " + sum
          + (carry > 0 ? ", carries " + carry : ", no carry"));
    }
  }
}
