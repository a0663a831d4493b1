package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.Modes.Mode;

/**
 * R = A ∘ B, decided exactly. With A coalesced, A(Σ t·r) differs from Σ t·A(r) by Σ gap · carry over A's digits, where
 * gap_j = M_j·d_j − d_(j+1). No carry anywhere means that the strides A(r) are right; a carry means, when all gaps have
 * one sign, that nothing is. Only gaps of both signs can cancel; then the table of all offsets decides.
 */
final class Composition {
  private static final long LARGEST_TABLE = 1 << 24;

  private final Layout outer;
  private final Layout inner;
  private final List<Mode> a;

  private Composition(Layout outer, Layout inner) {
    this.outer = outer;
    this.inner = inner;
    this.a = Coalesce.extended(outer);
  }

  static Decision<Layout> of(Layout outer, Layout inner) {
    return new Composition(outer, inner).decide();
  }

  /** By mode; modes behind the tiler's are dropped. */
  static Decision<Layout> byMode(Layout layout, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> new Decision.Defined<>(layout, equation(layout, Layout.of(layout.size(), 1), layout));
      case Tiler.ByLayout by -> of(layout, by.layout());
      case Tiler.ByMode by -> {
        if (by.tilers().size() > layout.rank()) {
          yield Decision.Undefined.of(layout + " ∘ " + tiler, "the tiler has at most as many modes as the layout",
              by.tilers().size() + " > " + layout.rank());
        }
        var modes = new ArrayList<Layout>();
        var certificates = new ArrayList<Certificate>();
        for (int i = 0; i < by.tilers().size(); i++) {
          switch (byMode(layout.mode(i), by.tilers().get(i))) {
            case Decision.Defined<Layout> defined -> {
              modes.add(defined.result());
              certificates.add(defined.certificate());
            }
            case Decision.Undefined<Layout> undefined -> {
              yield undefined.inMode(i, layout + " ∘ " + tiler);
            }
          }
        }
        yield new Decision.Defined<>(Layout.of(modes), new ByModeCertificate(certificates));
      }
    };
  }

  private Decision<Layout> decide() {
    for (var mode : Modes.of(inner).list()) {
      // One mode multiplies, whatever the sign; several have no digits for a negative index.
      if (mode.stride() < 0 && mode.extent() > 1 && a.size() > 1) {
        return undefined("strides of the right operand are at least 0 where the left one has several modes",
            "got " + mode.stride(), Optional.empty());
      }
    }
    var leaves = new ArrayList<Mode>();
    var candidate = refined(inner.shape(), inner.stride(), leaves);
    if (candidate.isPresent() && !carries(leaves)) return defined(candidate.get());
    return gapsHaveBothSigns() ? byTable() : refuted(candidate);
  }

  /** Cuts every leaf where its multiples first carry; empty when a leaf's extent is no multiple of that. */
  private Optional<Layout> refined(IntTuple shape, IntTuple stride, List<Mode> leaves) {
    if (shape instanceof IntTuple.Leaf leaf) {
      return cut(leaf.value(), ((IntTuple.Leaf) stride).value(), leaves);
    }
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < shape.rank(); i++) {
      var mode = refined(shape.mode(i), stride.mode(i), leaves);
      if (mode.isEmpty()) return Optional.empty();
      modes.add(mode.get());
    }
    return Optional.of(Layout.of(modes));
  }

  private Optional<Layout> cut(long extent, long stride, List<Mode> leaves) {
    if (extent <= 1 || stride == 0) return Optional.of(Layout.of(extent, 0));
    var result = new ArrayList<Mode>();
    while (extent > 1) {
      long linear = Math.min(extent, firstCarry(stride));
      if (extent % linear != 0) return Optional.empty();
      leaves.add(new Mode(linear, stride));
      result.add(new Mode(linear, at(stride)));
      stride = Math.multiplyExact(stride, linear);
      extent /= linear;
    }
    return Optional.of(Modes.layout(result));
  }

  /** The least t &gt; 0 for which t·stride carries out of some digit. */
  private long firstCarry(long stride) {
    long below = 1;
    long first = Long.MAX_VALUE;
    for (var mode : a.subList(0, a.size() - 1)) {
      below = Math.multiplyExact(below, mode.extent());
      long rest = stride % below;
      if (rest != 0) first = Math.min(first, Math.ceilDiv(below, rest));
    }
    return first;
  }

  /** Whether some coordinate's digits carry when the leaves' contributions are added. */
  private boolean carries(List<Mode> leaves) {
    long carry = 0;
    long below = 1;
    for (var mode : a.subList(0, a.size() - 1)) {
      long sum = carry;
      for (var leaf : leaves) {
        sum = Math.addExact(sum, Math.multiplyExact(leaf.extent() - 1, leaf.stride() / below % mode.extent()));
      }
      carry = sum / mode.extent();
      if (carry > 0) return true;
      below = Math.multiplyExact(below, mode.extent());
    }
    return false;
  }

  private boolean gapsHaveBothSigns() {
    boolean positive = false;
    boolean negative = false;
    for (int j = 0; j + 1 < a.size(); j++) {
      long gap = a.get(j).reach() - a.get(j + 1).stride();
      positive |= gap > 0;
      negative |= gap < 0;
    }
    return positive && negative;
  }

  private Decision<Layout> byTable() {
    if (inner.size() > LARGEST_TABLE) {
      return undefined("the right operand has at most 2^24 elements where the left one's gaps have both signs",
          "it has " + inner.size(), Optional.empty());
    }
    var candidate = synthesized(inner.shape(), inner.stride());
    if (candidate.isEmpty()) return refuted(candidate);
    return firstDifference(candidate.get()).isEmpty() ? defined(candidate.get()) : refuted(candidate);
  }

  private Optional<Layout> synthesized(IntTuple shape, IntTuple stride) {
    if (shape instanceof IntTuple.Leaf leaf) {
      long step = ((IntTuple.Leaf) stride).value();
      return Synthesis.of(leaf.value(), k -> at(Math.multiplyExact(k, step)));
    }
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < shape.rank(); i++) {
      var mode = synthesized(shape.mode(i), stride.mode(i));
      if (mode.isEmpty()) return Optional.empty();
      modes.add(mode.get());
    }
    return Optional.of(Layout.of(modes));
  }

  private Optional<Long> firstDifference(Layout candidate) {
    for (long i = 0; i < inner.size(); i++) {
      if (candidate.apply(i) != at(inner.apply(i))) return Optional.of(i);
    }
    return Optional.empty();
  }

  /** There is no such layout: the strides that each mode alone demands fail at some index. */
  private Decision<Layout> refuted(Optional<Layout> candidate) {
    var linear = candidate.orElseGet(() -> Layout.of(inner.shape(), unitOffsets(inner.shape(), inner.stride())));
    Optional<Witness> witness = (inner.size() <= LARGEST_TABLE ? firstDifference(linear) : Optional.<Long>empty())
        .map(i -> new Witness(inner.coordinate(i), i, at(inner.apply(i)), linear.apply(i)));
    return undefined("every coordinate of the right operand adds up in the left one without a carry",
        "strides " + linear.stride() + " of shape " + linear.shape() + " fail", witness);
  }

  private IntTuple unitOffsets(IntTuple shape, IntTuple stride) {
    return switch (stride) {
      case IntTuple.Leaf leaf -> IntTuple.of(shape.size() == 1 ? 0 : at(leaf.value()));
      case IntTuple.Tuple t -> {
        var offsets = new ArrayList<IntTuple>();
        for (int i = 0; i < t.rank(); i++) offsets.add(unitOffsets(shape.mode(i), t.mode(i)));
        yield IntTuple.of(offsets);
      }
    };
  }

  /** The left operand's value, its last mode unbounded. */
  private long at(long index) {
    long sum = 0;
    for (int j = 0; j < a.size(); j++) {
      boolean last = j + 1 == a.size();
      long digit = last ? index : index % a.get(j).extent();
      if (!last) index /= a.get(j).extent();
      sum = Math.addExact(sum, Math.multiplyExact(digit, a.get(j).stride()));
    }
    return sum;
  }

  private Decision<Layout> defined(Layout result) {
    return new Decision.Defined<>(result, equation(outer, inner, result));
  }

  private static Certificate equation(Layout outer, Layout inner, Layout result) {
    return new TableCertificate(result + "(i) is " + outer + "(" + inner + "(i))", inner.size(), result::apply,
        i -> outer.apply(inner.apply(i)));
  }

  private Decision<Layout> undefined(String condition, String numbers, Optional<Witness> witness) {
    return new Decision.Undefined<>(outer + " ∘ " + inner, condition, OptionalInt.empty(), numbers, witness);
  }
}
