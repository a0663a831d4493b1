package tilewright.layout;

import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.IntTuple;

/**
 * R = A ∘ B, decided exactly. With A coalesced, A(Σ t·r) differs from Σ t·A(r) by Σ gap · carry over A's digits, where
 * gap_j = M_j·d_j − d_(j+1). No carry anywhere means that the strides A(r) are right; a carry means, when all gaps have
 * one sign, that nothing is. Only gaps of both signs can cancel; then the table of all offsets decides.
 */
public final class Composition {
  private static final long LARGEST_TABLE = 1 << 24;
  private static final String NO_CARRY =
      "every coordinate of the right operand adds up in the left one without a carry";

  private final Layout outer;
  private final Layout inner;
  private final Numerals a;
  private final Pieces pieces = new Pieces();
  private long step = 1;
  private long reach;
  private int brokenLeaf = -1;
  private int leaves;
  private boolean carriesCancel;

  private Composition(Layout outer, Layout inner) {
    this.outer = outer;
    this.inner = inner;
    this.a = Numerals.of(outer);
  }

  /** R with R(i) = outer(inner(i)) for all i below inner's size, refining inner's shape. */
  public static Decision<Layout> of(Layout outer, Layout inner) {
    return new Composition(outer, inner).decide();
  }

  /** Like {@link #of(Layout, Layout)}; a strict dialect allows only offsets inside the left operand's domain. */
  public static Decision<Layout> of(Layout outer, Layout inner, Dialect dialect) {
    if (dialect.domain() == Dialect.Domain.STRICT) {
      var outside = firstOutside(outer, inner);
      if (outside.isPresent()) return outside.get();
    }
    return of(outer, inner);
  }

  private static Optional<Decision<Layout>> firstOutside(Layout outer, Layout inner) {
    long[] extents = inner.flatShape();
    long[] strides = inner.flatStride();
    if (inner.size() == 0) return Optional.empty();
    long step = 1;
    long largestAt = 0;
    long smallestAt = 0;
    for (int i = 0; i < extents.length; i++) {
      if (strides[i] > 0) largestAt += (extents[i] - 1) * step;
      if (strides[i] < 0) smallestAt += (extents[i] - 1) * step;
      step *= extents[i];
    }
    for (long index : new long[] {smallestAt, largestAt}) {
      long offset = inner.apply(index);
      if (offset < 0 || offset >= outer.size()) {
        long nearest = offset < 0 ? 0 : outer.size() - 1;
        return Optional.of(new Decision.Undefined<>(outer + " ∘ " + inner,
            "the right operand's offsets lie in the left one's domain", OptionalInt.empty(),
            "its coordinate " + inner.coordinate(index) + " has offset " + offset + ", outside 0…" + (outer.size() - 1),
            Optional.of(new Witness(inner.coordinate(index), index, nearest, offset))));
      }
    }
    return Optional.empty();
  }

  /** Composes each of the first modes with its tiler; the dialect keeps or drops the modes behind the tiler's. */
  public static Decision<Layout> byMode(Layout layout, Tiler tiler, Dialect dialect) {
    boolean keep = dialect.shortTiler() == Dialect.ShortTiler.KEEP;
    return ByMode.map(" ∘ ", layout, tiler, keep, (mode, by) -> of(mode, by, dialect));
  }

  private Decision<Layout> decide() {
    if (inner.size() == 0) return defined(Layout.of(inner.shape(), zeros(inner.shape())));
    if (a.hasEmptyDigit()) {
      return Decision.Undefined.of(outer + " ∘ " + inner, "no mode of the left operand but the last is empty",
          "its shape is " + outer.shape());
    }
    if (a.digits() > 1) {
      var backwards = backwards();
      if (backwards.isPresent()) return backwards.get();
    }
    var candidate = refined(inner.shape(), inner.stride());
    if (brokenLeaf < 0) {
      int carrying = a.digits() == 1 ? -1 : a.carryingDigit(pieces);
      if (carrying < 0) return defined(candidate);
      if (!a.carriesMayCancel(reach)) return carried(carrying);
    } else if (!a.carriesMayCancel(reach)) {
      return broken();
    }
    return byTable();
  }

  /** Several digits have no negative index: CuTe C++ would round quotients towards 0 there, pycute down. */
  private Optional<Decision<Layout>> backwards() {
    long[] extents = inner.flatShape();
    long[] strides = inner.flatStride();
    long index = 1;
    for (int i = 0; i < strides.length; i++) {
      if (strides[i] < 0 && extents[i] > 1) {
        return Optional.of(new Decision.Undefined<>(outer + " ∘ " + inner,
            "strides of the right operand are at least 0 where the left one has several modes",
            OptionalInt.of(topMode(i)), "got " + strides[i],
            Optional.of(new Witness(inner.coordinate(index), index, 0, strides[i]))));
      }
      index = Math.multiplyExact(index, extents[i]);
    }
    return Optional.empty();
  }

  /** Cuts every leaf where its multiples first carry, and notes the first leaf whose extent that does not divide. */
  private Layout refined(IntTuple shape, IntTuple stride) {
    if (shape instanceof IntTuple.Leaf(long extent) && stride instanceof IntTuple.Leaf(long by)) {
      return cut(extent, by);
    }
    var shapes = new IntTuple[shape.rank()];
    var strides = new IntTuple[shapes.length];
    for (int i = 0; i < shapes.length; i++) {
      var mode = refined(shape.mode(i), stride.mode(i));
      shapes[i] = mode.shape();
      strides[i] = mode.stride();
    }
    return new Layout(IntTuple.of(shapes), IntTuple.of(strides));
  }

  private Layout cut(long extent, long stride) {
    int leaf = leaves++;
    long from = step;
    step = Math.multiplyExact(step, extent);
    if (extent <= 1 || stride == 0) return Layout.of(extent, 0);
    reach = Math.addExact(reach, Math.multiplyExact(extent - 1, stride));
    long linear = brokenLeaf >= 0 || a.digits() == 1 ? extent : a.withoutCarry(stride, extent);
    if (linear == extent) {
      pieces.add(extent, stride, from);
      return Layout.of(extent, a.at(stride));
    }
    int first = pieces.count();
    while (extent > 1) {
      linear = a.withoutCarry(stride, extent);
      pieces.add(linear, stride, from);
      if (extent % linear != 0) {
        brokenLeaf = leaf;
        return Layout.of(extent, 0);
      }
      stride = Math.multiplyExact(stride, linear);
      from = Math.multiplyExact(from, linear);
      extent /= linear;
    }
    return coalesced(first);
  }

  /** A leaf's pieces as modes; carries that cancel may leave neighbours that one stride serves. */
  private Layout coalesced(int first) {
    var extents = new long[pieces.count()];
    var strides = new long[extents.length];
    int count = 0;
    for (int i = first; i < pieces.count(); i++) {
      long offset = a.at(pieces.stride(i));
      if (count > 0 && Math.multiplyExact(extents[count - 1], strides[count - 1]) == offset) {
        extents[count - 1] *= pieces.extent(i);
        carriesCancel = true;
      } else {
        extents[count] = pieces.extent(i);
        strides[count++] = offset;
      }
    }
    return SortedModes.layout(extents, strides, count);
  }

  private Decision<Layout> defined(Layout result) {
    return new Decision.Defined<>(result,
        carriesCancel ? table(result) : new CompositionCertificate(outer, inner, result));
  }

  private Certificate table(Layout result) {
    return new TableCertificate(result + "(i) is " + outer + "(" + inner + "(i))", inner.size(), result::apply,
        i -> outer.apply(inner.apply(i)));
  }

  /** The leaf's last piece is linear up to a number that does not divide what is left of it. */
  private Decision<Layout> broken() {
    int last = lastPieceOf(brokenLeaf);
    long linear = pieces.extent(last);
    long index = Math.multiplyExact(linear, pieces.step(last));
    long given = Math.multiplyExact(linear, a.at(pieces.stride(last)));
    var leaf = Layout.of(inner.flatShape()[brokenLeaf], inner.flatStride()[brokenLeaf]);
    return new Decision.Undefined<>(outer + " ∘ " + inner, NO_CARRY, OptionalInt.of(topMode(brokenLeaf)),
        leaf + " counts by " + pieces.stride(last) + " without a carry " + linear
            + " times, which do not divide its extent",
        Optional.of(witness(index, given)));
  }

  private int lastPieceOf(int leaf) {
    long end = 1;
    for (int i = 0; i <= leaf; i++) end = Math.multiplyExact(end, inner.flatShape()[i]);
    int last = -1;
    for (int i = 0; i < pieces.count(); i++) {
      if (pieces.step(i) < end) last = i;
    }
    return last;
  }

  /** The pieces together overflow a digit: the witness takes as little of them as does. */
  private Decision<Layout> carried(int digit) {
    long room = a.extent(digit) - 1;
    long index = 0;
    long given = 0;
    for (int i = 0; room >= 0; i++) {
      long each = a.digit(pieces.stride(i), digit);
      if (each == 0) continue;
      long times = Math.min(pieces.extent(i) - 1, room / each + 1);
      room -= times * each;
      index = Math.addExact(index, Math.multiplyExact(times, pieces.step(i)));
      given = Math.addExact(given, Math.multiplyExact(times, a.at(pieces.stride(i))));
    }
    return new Decision.Undefined<>(outer + " ∘ " + inner, NO_CARRY, OptionalInt.empty(),
        "digit " + digit + " of the coalesced left operand has extent " + a.extent(digit) + " and is exceeded",
        Optional.of(witness(index, given)));
  }

  private Witness witness(long index, long given) {
    return new Witness(inner.coordinate(index), index, a.at(inner.apply(index)), given);
  }

  private int topMode(int leaf) {
    int mode = 0;
    for (var each : inner.shape().modes()) {
      leaf -= each.flatten().length;
      if (leaf < 0) return mode;
      mode++;
    }
    throw new IllegalStateException("no leaf " + leaf + " in " + inner);
  }

  private Decision<Layout> byTable() {
    if (inner.size() > LARGEST_TABLE) {
      return Decision.Undefined.of(outer + " ∘ " + inner,
          "the right operand has at most 2^24 elements where the left one's gaps have both signs",
          "it has " + inner.size());
    }
    return Synthesis.refining(outer + " ∘ " + inner, inner.shape(), i -> a.at(inner.apply(i)));
  }

  private static IntTuple zeros(IntTuple shape) {
    return switch (shape) {
      case IntTuple.Leaf _ -> IntTuple.of(0);
      case IntTuple.Tuple t -> IntTuple.of(t.elements().stream().map(Composition::zeros).toList());
    };
  }
}
