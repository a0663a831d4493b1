package tilewright.layout.draw;

import java.util.HashMap;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.bank.AccessPattern;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/**
 * Pictures of layouts. In each, the first mode goes down and all others go across, nested modes have lines where they
 * are complete, and at most 16384 cells are shown; more are an {@link IllegalArgumentException}.
 */
public final class Pictures {
  private static final int HUES = 8;
  private static final String BANKS = "number: bank of four bytes; colour: bank, with one hue for each 16 bytes";

  private Pictures() {}

  /** Offsets, coloured by their remainder modulo eight as CuTe's {@code print_latex} shades them. */
  public static Picture offsets(OffsetMap map) {
    return offsets(map, Set.of());
  }

  /** Offsets, with heavy borders around the elements at some indices. */
  public static Picture offsets(OffsetMap map, Set<Long> marked) {
    return offsets(map.toString(), map.shape(), map::apply, marked);
  }

  /** Offsets of a layout whose modes combine by XOR. */
  public static Picture offsets(XorLayout map) {
    return offsets(map.toString(), map.shape(), map::apply, Set.of());
  }

  private static Picture offsets(String name, IntTuple shape, LongUnaryOperator map, Set<Long> marked) {
    var grid = Grid.of(name, shape);
    return Picture.of(name, grid.panel("", grid.cells(index -> {
      var offset = map.applyAsLong(index);
      return grid.cell(index, Math.floorMod(offset, (long) HUES), marked.contains((long) index), "offset " + offset,
          Long.toString(offset));
    }), "")).explained(Legend.numbered("number: offset; colour: offset mod " + HUES
        + (marked.isEmpty() ? "" : "; framed: the access"), HUES));
  }

  /** The coordinates that a layout of coordinates gives, coloured by the order in which they first occur. */
  public static Picture offsets(CoordinateLayout map) {
    var grid = Grid.of(map, map.shape());
    var numbers = new HashMap<String, Long>();
    return Picture.of(map.toString(), grid.panel("", grid.cells(index -> {
      var coordinate = map.apply(index).toString();
      var number = numbers.computeIfAbsent(coordinate, _ -> (long) numbers.size());
      return grid.cell(index, number, false, "coordinate " + coordinate, coordinate);
    }), "")).explained(Legend.of("text and colour: the coordinate"));
  }

  /**
   * A picture of the thread and value of each element of a tile, coloured by thread.
   *
   * @param threadValue (thread, value) → colexicographic index in the tile
   * @throws IllegalArgumentException if the layout has another rank than 2 or leaves the tile
   */
  public static Picture threadValues(OffsetMap threadValue, IntTuple tile) {
    return Picture.of(threadValue + " in " + tile, ThreadValues.panel(threadValue, tile))
        .explained(Legend.of("T: thread, V: value of that thread; colour: thread"));
  }

  /**
   * The bank of shared memory in which each element begins, coloured by bank; 16 bytes share a hue.
   *
   * @param elementBytes of one element
   */
  public static Picture banks(OffsetMap map, int elementBytes) {
    return Picture.of(map + ": banks", BankPanels.banks("", map, elementBytes, Set.of())).explained(Legend.of(BANKS));
  }

  /** Banks, with heavy borders around the elements where the lanes of an access begin. */
  public static Picture banks(OffsetMap map, int elementBytes, AccessPattern access) {
    var begins = Set.copyOf(access.indices());
    return Picture.of(map + ": banks, " + access.name(), BankPanels.banks("", map, elementBytes, begins))
        .explained(Legend.of(BANKS + "; framed: where a lane begins"));
  }

  /** Offsets before and after a swizzle: rows of as many elements as its shift says, coloured where they came from. */
  public static Picture swizzle(Swizzle swizzle) {
    return Picture.of(swizzle.toString(), SwizzlePanels.before(swizzle), SwizzlePanels.after(swizzle))
        .joined(Joint.ARROW).explained(Legend.of("number: offset; colour: where it was before the swizzle"));
  }

  /**
   * The tiles that a layout divides into: labels are offsets, elements of one tile have one colour, and the first tile
   * has heavy borders.
   */
  public static Picture division(OffsetMap map, Tiler tile) {
    return Picture.of(map + " divided by " + tile, TilePanels.division(map, tile))
        .explained(Legend.of("number: offset; colour: tile; framed: the first tile"));
  }

  /** A tile and its repetitions, each in a colour of its own; blocked if both have the same rank above 1. */
  public static Picture product(Layout tile, Layout repetitions) {
    return Picture.of(tile + " repeated by " + repetitions, TilePanels.product(tile, repetitions))
        .explained(Legend.of("number: offset; colour: repetition; framed: the tile itself"));
  }

  /**
   * The square of a composition, side by side: the inner layout, the outer one, and their composition. Elements that go
   * the same way have the same colour.
   *
   * @throws tilewright.layout.decision.UndefinedOperationException if there is no composition
   */
  public static Picture composition(Layout outer, Layout inner) {
    return Picture.of(outer + " ∘ " + inner + " = " + outer.composition(inner),
        CompositionPanels.inner(inner), CompositionPanels.outer(outer, inner),
        CompositionPanels.composite(outer, inner)).joined(Joint.ARROW, Joint.EQUALS)
        .explained(Legend.of("colour: the index between, the same in all three; plain: never reached"));
  }
}
