package tilewright.kernel.tiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.atom.TransposedBytes;
import tilewright.layout.Layout;

/** Accumulators of {@code mma} as operand A of the next one. */
class LayoutConformanceTest {
  private static Layout accumulators(int columns) {
    return Layout.of(MmaAtom.C.mode(0), Layout.of(MmaAtom.C.mode(1), Layout.of(columns / 8, 128)));
  }

  @Test
  void sixteenBitOperandsHaveTheColumnsInOrder() {
    var conformance = LayoutConformance.of(accumulators(16), MmaAtom.A, 16, 16);
    conformance.requireOrder(Layout.of(16, 1));
    for (int value = 0; value < 8; value++) assertEquals(value, conformance.values().apply(value));
  }

  @Test
  void bytesHaveThemInTheOrderOfTransposedBytes() {
    var conformance = LayoutConformance.of(accumulators(32), MmaAtom.A_OF_BYTES, 16, 32);
    conformance.requireOrder(TransposedBytes.B_N_MAJOR.depths(32));
    var error = assertThrows(TraceException.class, () -> conformance.requireOrder(Layout.of(32, 1)));
    assertTrue(error.getMessage().startsWith("k = 2 is column 8 of the accumulators in operand A, 2 in operand B"),
        error.getMessage());
  }

  /** Columns named by every other k have bytes of A in their own order, but in registers far apart. */
  @Test
  void renamedColumnsNeedNoOrder() {
    var held = Layout.parse("((4,8),(2,2,2,2)):((64,1),(32,8,256,16))");
    var conformance = LayoutConformance.of(held, MmaAtom.A_OF_BYTES, 16, 32);
    conformance.requireOrder(Layout.of(32, 1));
    for (int value = 0; value < 16; value++) {
      int k = value % 4 + value / 8 * 16;
      int register = k % 2 * 8 + k / 16 * 4 + value / 4 % 2 * 2 + k % 4 / 2;
      assertEquals(register, conformance.values().apply(value), "value " + value);
    }
  }

  @Test
  void rowsOfAnotherThreadAreRefused() {
    var shifted = Layout.parse("((4,8),(2,2,2)):((32,2),(16,1,128))");
    assertTrue(assertThrows(TraceException.class, () -> LayoutConformance.of(accumulators(16), shifted, 16, 16))
        .getMessage().contains("are no operand A"));
  }
}
