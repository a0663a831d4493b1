package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** XOR layouts as the bases of Triton's linear layouts. */
class XorBasesTest {

  @Test
  void aSwizzledTileIsOneXorLayoutAndBack() {
    var tile = (ComposedLayout) OffsetMap.parse("Sw<3,0,3>o0o(8,8):(1,8)");
    var xor = Unswizzling.xor(tile).orElseThrow();
    assertEquals("(8,8):(^1,^9)", xor.toString());
    assertEquals(tile, xor.trySwizzled().orElseThrow());
    assertEquals(List.of(List.of(1L, 2L, 4L), List.of(9L, 18L, 36L)), xor.tryBases().orElseThrow());
    assertEquals(xor, XorLayout.ofBases(xor.tryBases().orElseThrow()));
  }

  @Test
  void basesOfSeveralOutputsAreReadAsTritonWritesThem() {
    // Triton's LinearLayout of a 4 × 8 tile, register then lane: outputs (row, column), columns folded by rows.
    var register = List.of(IntTuple.flat(0, 1), IntTuple.flat(0, 2));
    var lane = List.of(IntTuple.flat(0, 4), IntTuple.flat(1, 1), IntTuple.flat(2, 2));
    var outputs = IntTuple.flat(4, 8);
    var layout = XorLayout.ofBases(List.of(register, lane), outputs);
    for (long r = 0; r < 4; r++) {
      for (long l = 0; l < 8; l++) {
        long row = l >> 1;
        long column = r ^ (l & 1) << 2 ^ row;
        assertEquals(row + 4 * column, layout.apply(IntTuple.flat(r, l)));
      }
    }
    assertEquals(List.of(register, lane), layout.tryBases(outputs).orElseThrow());
    assertInstanceOf(Decision.Undefined.class, layout.tryBases(IntTuple.flat(4, 4)));
  }

  @Test
  void anOutputOfOneHasNoBits() {
    var layout = XorLayout.ofBases(List.of(List.of(IntTuple.flat(0, 1, 0), IntTuple.flat(0, 0, 2))),
        IntTuple.flat(1, 2, 4));
    assertEquals(List.of(List.of(1L, 4L)), layout.tryBases().orElseThrow());
  }

  @Test
  void basesAreCoordinatesOfTheOutputs() {
    var outputs = IntTuple.flat(4, 8);
    for (var basis : List.of("(4,0)", "(0,8)", "(4,7)", "(3,8)")) {
      var refusal = assertThrows(IllegalArgumentException.class,
          () -> XorLayout.ofBases(List.of(List.of(IntTuple.parse(basis))), outputs));
      assertTrue(refusal.getMessage().contains(basis + " is no coordinate of outputs (4,8)"), refusal.getMessage());
    }
    assertEquals("(2):(^31)", XorLayout.ofBases(List.of(List.of(IntTuple.flat(3, 7))), outputs).toString());
  }

  @Test
  void outputsArePowersOfTwoThatHoldEveryOffset() {
    var layout = XorLayout.parse("(2,2):(^1,^4)");
    var undefined = assertInstanceOf(Decision.Undefined.class, layout.tryBases(IntTuple.of(4)));
    assertTrue(undefined.message().contains("offsets are below 4; the bases are [[1], [4]]"), undefined.message());
    assertEquals(List.of(List.of(IntTuple.flat(1, 0)), List.of(IntTuple.flat(0, 1))),
        layout.tryBases(IntTuple.flat(4, 2)).orElseThrow());
    for (var outputs : List.of(IntTuple.flat(3, 8), IntTuple.flat(8, 0), IntTuple.flat(-8, 8))) {
      assertThrows(IllegalArgumentException.class, () -> layout.tryBases(outputs), outputs.toString());
    }
  }
}
