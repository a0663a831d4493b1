package tilewright.layout.xor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Modes;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/**
 * A map of coordinates that is affine in the bits of the index, over F2: index ↦ constant ⊕ XOR of columns.
 *
 * <p>Where all extents are powers of two, adding a stride D_j to an offset o is the XOR with v_j = (o + D_j) ⊕ o for
 * every sum on the way exactly when the v_j have no bit in common: (x ⊕ v) − x fixes the bits of x in v. Hence
 * o + Σ D_j is affine over F2 if and only if the v_j are disjoint; and an affine map is a layout if and only if its
 * columns are.
 *
 * @param shape all extents powers of two
 * @param columns the images of index bits 1, 2, 4, …
 */
record AffineBits(IntTuple shape, long constant, List<Long> columns) {

  static Decision<AffineBits> of(ComposedLayout map) {
    var operation = map + " over F2";
    long[] extents = map.shape().flatten();
    long[] strides = map.layout().flatStride();
    var steps = new ArrayList<Long>();
    long lowest = map.offset();
    for (int k = 0; k < extents.length; k++) {
      if (Long.bitCount(extents[k]) != 1) {
        return Decision.Undefined.of(operation, "every extent is a power of two",
            "got " + extents[k] + " at leaf " + k);
      }
      for (long t = 1; t < extents[k]; t *= 2) {
        long step = Math.multiplyExact(t, strides[k]);
        steps.add(step);
        lowest = Math.addExact(lowest, Math.min(0, step));
      }
    }
    if (lowest < 0) {
      return Decision.Undefined.of(operation, "every offset is at least 0", "the lowest is " + lowest);
    }
    var flips = new ArrayList<Long>();
    for (long step : steps) flips.add(Math.addExact(map.offset(), step) ^ map.offset());
    var clash = clash(flips);
    if (clash.isPresent()) {
      var pair = clash.get();
      long sum = map.offset() + steps.get(pair.first()) + steps.get(pair.second());
      long xor = map.offset() ^ flips.get(pair.first()) ^ flips.get(pair.second());
      return new Decision.Undefined<>(operation, "the bits that strides change are disjoint", OptionalInt.empty(),
          pair + " both change the bits of " + (flips.get(pair.first()) & flips.get(pair.second())),
          Optional.of(witness(map.shape(), pair.index(), map.swizzle().apply(sum), map.swizzle().apply(xor))));
    }
    var columns = flips.stream().map(map.swizzle()::apply).toList();
    var bits = new AffineBits(map.shape(), map.swizzle().apply(map.offset()), columns);
    return new Decision.Defined<>(bits,
        new TableCertificate("XOR of columns = offset", map.size(), bits::apply, map::apply));
  }

  /** The offset and layout that have the same values. */
  Decision<ComposedLayout> layout(String operation) {
    var clash = clash(columns);
    if (clash.isPresent()) {
      var pair = clash.get();
      long given = apply(1L << pair.first()) + apply(1L << pair.second()) - constant;
      return new Decision.Undefined<>(operation, "the bits that index bits change are disjoint", OptionalInt.empty(),
          pair + " both change the bits of " + (columns.get(pair.first()) & columns.get(pair.second())),
          Optional.of(witness(shape, pair.index(), apply(pair.index()), given)));
    }
    var steps = columns.stream().map(c -> (constant ^ c) - constant).iterator();
    var layout = Refinement.of(shape, leaf -> {
      var modes = new ArrayList<Modes.Mode>();
      for (long t = 1; t < leaf; t *= 2) modes.add(new Modes.Mode(2, steps.next()));
      return Modes.layout(modes).coalesce();
    });
    var plain = new ComposedLayout(Swizzle.IDENTITY, constant, layout);
    return new Decision.Defined<>(plain,
        new TableCertificate("offset + layout = map", shape.size(), plain::apply, this::apply));
  }

  private static Witness witness(IntTuple shape, long index, long demanded, long given) {
    return new Witness(Coordinates.of(index, shape), index, demanded, given);
  }

  long apply(long index) {
    long value = constant;
    for (long rest = index; rest != 0; rest &= rest - 1) value ^= columns.get(Long.numberOfTrailingZeros(rest));
    return value;
  }

  /** Two index bits whose columns share a bit. */
  record Pair(int first, int second) {
    long index() {
      return (1L << first) + (1L << second);
    }

    @Override
    public String toString() {
      return "index bits " + first + " and " + second;
    }
  }

  static Optional<Pair> clash(List<Long> columns) {
    for (int j = 0; j < columns.size(); j++) {
      for (int i = 0; i < j; i++) {
        if ((columns.get(i) & columns.get(j)) != 0) return Optional.of(new Pair(i, j));
      }
    }
    return Optional.empty();
  }
}
