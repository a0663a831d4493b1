package tilewright.layout.synthesis;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import tilewright.layout.AffineLattice;
import tilewright.layout.ComposedLayout;
import tilewright.layout.FactSynthesis;
import tilewright.layout.Layout;
import tilewright.layout.Synthesis;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CommonRefinement;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/**
 * Layouts from what they do: the layout that has a given table of offsets, or goes through given facts, or the first
 * index at which none can. Tables list the offsets of indices 0, 1, 2, …; answers from tables are complete.
 */
public final class LayoutSynthesis {
  private LayoutSynthesis() {}

  /** The coalesced layout, which is of minimal rank. */
  public static Decision<Layout> layout(long... table) {
    return Synthesis.decide("layout of " + text(table), table.length, i -> table[(int) i]);
  }

  /**
   * The layout whose shape refines a given one, each leaf in the fewest modes.
   *
   * @throws IllegalArgumentException unless the table has as many entries as the shape
   */
  public static Decision<Layout> layout(IntTuple shape, long... table) {
    if (shape.size() != table.length) {
      throw new IllegalArgumentException("shape " + shape + " has " + shape.size() + " elements and the table "
          + table.length);
    }
    return Synthesis.refining("layout of " + text(table) + " that refines " + shape, shape, i -> table[(int) i]);
  }

  /** An offset and the coalesced layout behind it, with the identity as swizzle. */
  public static Decision<ComposedLayout> offsetLayout(long... table) {
    return behind(Swizzle.IDENTITY, table);
  }

  /**
   * Sw o offset o layout. The swizzle has the fewest bits (none where an offset and a layout do), then the layout the
   * fewest modes, then the swizzle the shortest shift. All swizzles whose fields end below bit 62 are tried.
   */
  public static Decision<ComposedLayout> swizzled(long... table) {
    return SwizzledTables.of(table);
  }

  static Decision<ComposedLayout> behind(Swizzle swizzle, long... table) {
    var operation = (swizzle.bits() == 0 ? "offset and layout of " : swizzle + " o offset o layout of ") + text(table);
    if (table.length == 0) return composed(new ComposedLayout(swizzle, 0, Layout.of(0, 0)), table);
    long offset = swizzle.apply(table[0]);
    return switch (Synthesis.decide(operation, table.length,
        i -> Math.subtractExact(swizzle.apply(table[(int) i]), offset))) {
      case Decision.Defined<Layout>(var layout, _) -> composed(new ComposedLayout(swizzle, offset, layout), table);
      case Decision.Undefined<Layout> undefined -> new Decision.Undefined<>(operation, undefined.condition(),
          undefined.mode(), undefined.numbers() + " relative to " + offset, undefined.witness());
    };
  }

  private static Decision<ComposedLayout> composed(ComposedLayout result, long[] table) {
    return new Decision.Defined<>(result,
        new TableCertificate(result + "(i) = table(i)", table.length, result::apply, i -> table[(int) i]));
  }

  /** The layout of XOR strides, coalesced; decided for tables of 2^n entries. */
  public static Decision<XorLayout> xor(long... table) {
    var operation = "XOR layout of " + text(table);
    if (Integer.bitCount(table.length) != 1) {
      return Decision.Undefined.of(operation, "the table has a power of two of entries", "it has " + table.length);
    }
    var negative = LongStream.of(table).filter(offset -> offset < 0).findFirst();
    if (negative.isPresent()) {
      return Decision.Undefined.of(operation, "offsets are at least 0", "got " + negative.getAsLong());
    }
    int bits = Integer.numberOfTrailingZeros(table.length);
    var columns = new long[bits];
    Arrays.setAll(columns, bit -> table[1 << bit]);
    var matrix = F2Matrix.of(columns);
    for (int i = 0; i < table.length; i++) {
      if (matrix.apply(i) == table[i]) continue;
      return new Decision.Undefined<>(operation, "each offset is the XOR of those of its index's bits",
          OptionalInt.empty(), "the table has " + table[i] + " at index " + i,
          Optional.of(new Witness(IntTuple.of(i), i, table[i], matrix.apply(i))));
    }
    var result = XorLayout.of(IntTuple.of(table.length), matrix);
    return new Decision.Defined<>(result,
        new TableCertificate(result + "(i) = table(i)", table.length, result::apply, i -> table[(int) i]));
  }

  /** The layout of basis strides, of minimal rank. */
  public static Decision<CoordinateLayout> coordinates(List<ArithmeticTuple> table) {
    var operation = "coordinate layout of " + table.size() + " coordinates";
    Map<List<Integer>, Layout> parts = new TreeMap<>(ArithmeticTuple.BY_PLACE);
    for (var tuple : table) tuple.terms().forEach(term -> parts.put(term.place(), Layout.of(1, 0)));
    for (var place : List.copyOf(parts.keySet())) {
      switch (Synthesis.decide(operation + " at " + new ArithmeticTuple.Term(1, place), table.size(),
          i -> table.get((int) i).at(place))) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined.as(operation);
        }
        case Decision.Defined<Layout> defined -> parts.put(place, defined.result());
      }
    }
    var certificate = new ByModeCertificate(parts.entrySet().stream().<Certificate>map(part -> new TableCertificate(
        part.getValue() + "(i) = table(i)", table.size(), part.getValue()::apply,
        i -> table.get((int) i).at(part.getKey()))).toList());
    return CommonRefinement.of(operation, IntTuple.of(table.size()), parts, certificate);
  }

  /**
   * Some layout with these offsets at these indices, free at all others.
   *
   * @param facts index ↦ offset, indices of at least 0
   */
  public static Decision<Layout> through(SortedMap<Long, Long> facts) {
    var operation = "layout through " + facts;
    try {
      var found = FactSynthesis.of(facts);
      if (found.isEmpty()) {
        return Decision.Undefined.of(operation, "some extents and strides satisfy all facts", "none does");
      }
      return new Decision.Defined<>(found.get(), throughCertificate(found.get(), facts));
    } catch (SearchLimitException e) {
      return Decision.Undefined.of(operation, "a search of all chains of extents ends in time", e.getMessage());
    }
  }

  private static Certificate throughCertificate(Layout layout, SortedMap<Long, Long> facts) {
    var indices = List.copyOf(facts.keySet());
    return new TableCertificate(layout + " goes through the facts", indices.size(),
        i -> layout.apply(indices.get((int) i)), i -> facts.get(indices.get((int) i)));
  }

  /**
   * Some layout of exactly this shape with these offsets at these coordinates: integer strides that solve the linear
   * equations, decided exactly.
   */
  public static Decision<Layout> through(IntTuple shape, Map<IntTuple, Long> facts) {
    var strides = AffineLattice.empty();
    int rank = (int) shape.leaves().count();
    for (long _ : shape.flatten()) strides = strides.withUnknown();
    for (var fact : facts.entrySet()) {
      var digits = new long[rank];
      for (int leaf = 0; leaf < rank; leaf++) digits[leaf] = unit(shape, leaf).apply(fact.getKey());
      var narrower = strides.with(digits, fact.getValue());
      if (narrower.isEmpty()) {
        return Decision.Undefined.of("layout of shape " + shape + " through " + facts,
            "integer strides satisfy all facts",
            fact.getKey() + " ↦ " + fact.getValue() + " contradicts the facts before it");
      }
      strides = narrower.get();
    }
    var layout = new Layout(shape, IntTuple.flat(strides.point()).unflatten(shape));
    var coordinates = List.copyOf(facts.keySet());
    return new Decision.Defined<>(layout, new TableCertificate(layout + " goes through the facts", coordinates.size(),
        i -> layout.apply(coordinates.get((int) i)), i -> facts.get(coordinates.get((int) i))));
  }

  /** Gives the digit of one leaf. */
  private static Layout unit(IntTuple shape, int leaf) {
    var strides = new long[(int) shape.leaves().count()];
    strides[leaf] = 1;
    return new Layout(shape, IntTuple.flat(strides).unflatten(shape));
  }

  private static String text(long[] table) {
    return table.length <= 16 ? Arrays.toString(table) : "a table of " + table.length + " offsets";
  }
}
