package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** The fewest modes for a table, for all of it or mode by mode. */
class NormalFormLawsTest {

  @Test
  void coalescingKeepsTheTableInTheFewestModes() {
    var law = new Law(2, "coalesce keeps the table, in the least rank of all layouts with it, and is idempotent");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), NormalFormLawsTest::isNormalForm);
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), NormalFormLawsTest::isNormalForm);
  }

  private static boolean isNormalForm(Layout layout) {
    var normal = layout.coalesce();
    var table = Definition.table(layout);
    assertArrayEquals(table, Definition.table(normal), layout::toString);
    assertEquals(Math.max(1, Tables.leastRank(table)), Definition.of(normal).shape().length, layout::toString);
    assertEquals(normal, normal.coalesce());
    return true;
  }

  @Test
  void equalTablesHaveOneNormalForm() {
    var forms = new HashMap<List<Long>, Layout>();
    var law = new Law(2, "layouts with equal tables coalesce to the same layout, others do not");
    var all = Bound.SIGNED.layouts().toList();
    law.holdsFor(Bound.SIGNED.toString(), 10_000, all.stream(), layout -> {
      var table = LongStream.of(Definition.table(layout)).boxed().toList();
      var form = forms.computeIfAbsent(table, _ -> layout.coalesce());
      assertEquals(form, layout.coalesce());
      return true;
    });
    assertEquals(forms.size(), forms.values().stream().distinct().count());
  }

  @Test
  void coalescingByAProfileKeepsWhatStandsAtItsIntegers() {
    var law = new Law(3, "coalesce(A, profile): each mode at an integer of the profile is coalesced by itself");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      if (layout.rank() == 0) return false;
      var nested = nested(layout);
      var profile = nested.rank() == 1 ? IntTuple.parse("(1)") : IntTuple.parse("(1,1)");
      var result = nested.coalesce(profile);
      assertEquals(nested.rank(), result.rank());
      for (int mode = 0; mode < nested.rank(); mode++) {
        assertArrayEquals(Definition.table(nested.mode(mode)), Definition.table(result.mode(mode)), nested::toString);
        isNormalForm(result.mode(mode));
        assertEquals(result.mode(mode), result.mode(mode).coalesce());
      }
      assertArrayEquals(Definition.table(nested), Definition.table(result), nested::toString);
      return true;
    });
  }

  /** All but the first mode as one. */
  private static Layout nested(Layout flat) {
    if (flat.rank() == 1) return flat;
    return Layout.of(flat.mode(0), Layout.of(flat.modes().subList(1, flat.rank())));
  }

  @Test
  void flatteningKeepsTheTable() {
    var law = new Law(3, "flatten keeps the table and the leaves");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      if (layout.rank() == 0) return false;
      var nested = nested(layout);
      assertEquals(layout, nested.flatten());
      assertArrayEquals(Definition.table(layout), nested.offsets());
      return true;
    });
  }

  @Test
  void filteringKeepsTheImageAndLeavesNoZeroStrides() {
    var law = new Law(4,
        "filter keeps the set of offsets, without strides 0, in size A / (extents of stride 0) elements");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var filtered = Definition.of(layout.filter());
      var definition = Definition.of(layout);
      assertArrayEquals(LongStream.of(definition.table()).distinct().sorted().toArray(),
          LongStream.of(filtered.table()).distinct().sorted().toArray(), layout::toString);
      assertTrue(filtered.size() == 1 || LongStream.of(filtered.stride()).noneMatch(d -> d == 0), layout::toString);
      assertEquals(definition.size(), filtered.size() * zeroes(definition), layout::toString);
      return true;
    });
  }

  private static long zeroes(Definition definition) {
    long zeroes = 1;
    for (int k = 0; k < definition.shape().length; k++) {
      if (definition.stride()[k] == 0) zeroes *= definition.shape()[k];
    }
    return zeroes;
  }
}
