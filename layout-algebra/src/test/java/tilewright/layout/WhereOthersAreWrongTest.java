package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/** Operands for which CuTe C++, its DSL or pycute gave a wrong layout, or refused one that exists. */
class WhereOthersAreWrongTest {

  /** CUTLASS issues 2955, 3177 and pull request 3181; the third is accepted where shapes are dynamic. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,6,8):(2,3,5) | 6:3         | (2,3):(6,3)
      (6,2):(1,7)     | (3,2):(2,3) | (3,2):(2,3)
      (6,4):(1,100)   | 4:4         | (2,2):(4,100)
      """)
  void aCompositionThatIsNoLayoutIsRefusedWithAnOffsetThatShowsIt(String outer, String inner, String theirs) {
    var a = Layout.parse(outer);
    var b = Layout.parse(inner);
    assertFalse(Arrays.equals(composed(a, b), table(Layout.parse(theirs))), "theirs would be right");
    var refused = assertInstanceOf(Decision.Undefined.class, Composition.of(a, b));
    var witness = (Witness) refused.witness().orElseThrow();
    assertEquals(offset(a, offset(b, witness.index())), witness.demanded());
    assertNotEquals(witness.demanded(), witness.given());
    assertEquals(witness.index(), Coordinates.index(witness.coordinate(), b.shape()));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,6,8,10):(2,3,5,7) | 6:12        | (2,3):(9,5)
      (5,3):(7,1)          | 2:3         | 2:21
      (10,2):(16,4)        | (5,4):(1,5) | (5,(2,2)):(16,(80,4))
      (4,2,8):(3,12,97)    | 3:3         | 3:9
      (2,2,4):(1,5,7)      | 3:3         | 3:6
      """)
  void aCompositionThatExistsIsFound(String outer, String inner, String expected) {
    var a = Layout.parse(outer);
    var b = Layout.parse(inner);
    var ours = a.composition(b);
    assertEquals(Layout.parse(expected), ours);
    assertArrayEquals(composed(a, b), table(ours));
  }

  /** CUTLASS issue 2545: eleven tiles instead of twelve. */
  @Test
  void aDivisionLeavesNoTileOut() {
    var layout = Layout.parse("(12,32):(1,12)");
    var divided = layout.logicalDivide(Layout.parse("(4,8):(1,4)"));
    assertEquals(32, divided.mode(0).size());
    assertEquals(12, divided.mode(1).size());
    assertArrayEquals(LongStream.range(0, 384).toArray(), LongStream.of(table(divided)).sorted().toArray());
  }

  /** CUTLASS issue 3513: 288 elements instead of 384. */
  @Test
  void aDivisionAcrossModesHasEveryElement() {
    var layout = Layout.parse("(12,(4,8)):(7,(1,30))");
    switch (Division.of(Dialect.CUTE_CPP).zipped(layout, Tiler.parse("128"))) {
      case Decision.Defined<Layout>(var divided, var _) -> assertArrayEquals(
          LongStream.of(table(layout)).sorted().toArray(), LongStream.of(table(divided)).sorted().toArray());
      case Decision.Undefined<Layout> undefined -> assertTrue(undefined.witness().isPresent(), undefined.message());
    }
  }

  /** CuTe C++ compiles this to ((4,3),(4,(2,2))):((48,1),(4,(3,16))), in which elements share offsets. */
  @Test
  void aBlockWhoseCopiesWouldOverlapDoesNotTileAShape() {
    long[] theirs = table(Layout.parse("((4,3),(4,(2,2))):((48,1),(4,(3,16)))"));
    assertTrue(LongStream.of(theirs).distinct().count() < theirs.length);
    var refused = assertInstanceOf(Decision.Undefined.class,
        Product.tileToShape(Layout.parse("(4,4):(48,4)"), IntTuple.parse("(12,16)")));
    assertTrue(refused.witness().isPresent(), refused.message());
  }

  /** CUTLASS issue 3485: pycute gives 4:1, which forgets the second mode. */
  @Test
  void aLeftInverseUndoesALayoutWithGaps() {
    var layout = Layout.parse("(4,8):(1,5)");
    var inverse = layout.leftInverse();
    for (long i = 0; i < 32; i++) assertEquals(i, offset(inverse, offset(layout, i)));
  }

  /** CUTLASS issue 3478: pycute divides by a number where it should multiply. */
  @Test
  void aProductWithANumberRepeatsTheBlock() {
    assertArrayEquals(LongStream.range(0, 32).toArray(), table(Layout.parse("8:1").logicalProduct(Tiler.parse("4"))));
  }

  /** Copies of these offsets, the least free place first, never fill a range: a complement would have to. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(2,3):(3,2)", "(4,2):(1,6)", "(2,2):(2,3)"})
  void noComplementIsGivenOffTheChain(String text) {
    var layout = Layout.parse(text);
    for (int end = 1; end <= 96; end++) assertFalse(tiles(table(layout), end), text + " tiles " + end);
    var refused = assertInstanceOf(Decision.Undefined.class, Complement.of(layout, 24));
    var witness = (Witness) refused.witness().orElseThrow();
    assertEquals(offset(layout, witness.index()), witness.given());
  }

  /** The least integer not yet covered can only be the least of its copy: there is no choice. */
  private static boolean tiles(long[] offsets, int end) {
    var covered = new boolean[end];
    for (int start = 0; start < end; start++) {
      if (covered[start]) continue;
      for (long offset : offsets) {
        if (start + offset >= end || covered[start + (int) offset]) return false;
        covered[start + (int) offset] = true;
      }
    }
    return true;
  }

  private static long[] composed(Layout outer, Layout inner) {
    return LongStream.of(table(inner)).map(i -> offset(outer, i)).toArray();
  }

  private static long[] table(Layout layout) {
    return LongStream.range(0, LongStream.of(layout.flatShape()).reduce(1, (a, b) -> a * b))
        .map(i -> offset(layout, i)).toArray();
  }

  /** By definition: digits of the index, the first fastest and the last unbounded, times strides. */
  private static long offset(Layout layout, long index) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    long offset = 0;
    for (int i = 0; i + 1 < extents.length; i++) {
      offset += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return offset + index * strides[extents.length - 1];
  }
}
