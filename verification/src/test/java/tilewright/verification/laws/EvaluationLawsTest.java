package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** What a layout gives for indices and coordinates. */
class EvaluationLawsTest {

  @Test
  void indicesAndCoordinatesGiveTheSameOffset() {
    var law = new Law(1, "eval(A, c) = eval(A, i) for the coordinate c of index i, and Σ c·d is that offset");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var definition = Definition.of(layout);
      int size = definition.size();
      // Two indices beyond the size: the last mode is unbounded.
      for (int i = 0; i < size + 2; i++) {
        var coordinate = layout.coordinate(i);
        assertEquals(definition.at(i), layout.apply(i), layout::toString);
        assertEquals(definition.at(i), layout.apply(coordinate), layout::toString);
        long[] digits = Definition.leaves(coordinate);
        assertEquals(definition.at(i), Definition.atDigits(digits, definition.stride()), layout::toString);
        if (i < size) assertEquals(i, index(digits, definition.shape()));
      }
      return true;
    });
  }

  private static long index(long[] digits, long[] shape) {
    long index = 0;
    for (int k = shape.length - 1; k >= 0; k--) index = index * shape[k] + digits[k];
    return index;
  }

  @Test
  void sizeCosizeAndTableAreWhatTheDefinitionSays() {
    var law = new Law(1, "size, cosize and table are those of the definition");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var definition = Definition.of(layout);
      assertEquals(definition.size(), layout.size());
      assertEquals(definition.cosize(), layout.cosize());
      assertArrayEquals(definition.table(), layout.offsets());
      return true;
    });
  }

  @Test
  void multiplyingAllStridesMultipliesTheTable() {
    var law = new Law(18, "multiplying all strides by k multiplies the table by k");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var definition = Definition.of(layout);
      long[] tripled = LongStream.of(definition.stride()).map(d -> -3 * d).toArray();
      var product = Layout.of(layout.shape(), IntTuple.flat(tripled));
      assertArrayEquals(LongStream.of(definition.table()).map(x -> -3 * x).toArray(), product.offsets());
      return true;
    });
  }

  @Test
  void aModeOfExtentOneChangesNothingWhateverItsStride() {
    var law = new Law(18, "a mode of extent 1 anywhere, with any stride, changes no offset");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var table = Definition.table(layout);
      for (int place = 0; place <= layout.rank(); place++) {
        var longer = Layout.of(inserted(layout.shape(), place, 1), inserted(layout.stride(), place, 7));
        assertArrayEquals(table, longer.offsets(), longer::toString);
        assertEquals(layout.coalesce(), longer.coalesce(), longer::toString);
      }
      return true;
    });
  }

  private static IntTuple inserted(IntTuple flat, int place, long value) {
    long[] leaves = Definition.leaves(flat);
    return IntTuple.flat(LongStream.concat(LongStream.concat(LongStream.of(leaves).limit(place), LongStream.of(value)),
        LongStream.of(leaves).skip(place)).toArray());
  }

  @Test
  void reversingTheModesKeepsTheOffsets() {
    var law = new Law(18, "modes in another order reach the same offsets");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var reversed = Layout.of(layout.modes().reversed());
      assertArrayEquals(Tables.sorted(Definition.table(layout)), Tables.sorted(reversed.offsets()));
      return true;
    });
  }

  @Test
  void countingBackwardsIsANegativeStrideFromTheFarEnd() {
    var law = new Law(18, "(N−1)·d plus N:−d counts N:d backwards, mode by mode");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var definition = Definition.of(layout);
      long[] negated = LongStream.of(definition.stride()).map(d -> -d).toArray();
      var backwards = Layout.of(layout.shape(), IntTuple.flat(negated));
      var table = definition.table();
      for (int i = 0; i < table.length; i++) {
        assertEquals(table[i], definition.cosize() - 1 + backwards.apply(table.length - 1 - i));
      }
      return true;
    });
  }
}
