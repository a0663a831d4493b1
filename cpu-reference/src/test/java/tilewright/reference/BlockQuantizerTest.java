package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class BlockQuantizerTest {
  private static TensorView tensor(ElementType type, String text) {
    var layout = Layout.parse(text);
    return new TensorView(type, MemorySegment.ofArray(new byte[(int) type.bytes(layout.cosize())]), layout);
  }

  /** Half the distance between neighbours near the largest of a block, 1/16 of it below for e4m3, 1/8 for e5m2. */
  @ParameterizedTest
  @CsvSource({"1, E4M3, 0.0625", "128, E4M3, 0.0625", "1, E5M2, 0.125", "128, E5M2, 0.125"})
  void valuesComeBackAsNearAsTheNarrowTypeHolds(int rows, ElementType type, double relative) {
    var source = tensor(ElementType.F32, "(130,200,2):(200,1,26000)");
    Inputs.normal(source, 1);
    var narrow = tensor(type, "(130,200,2):(200,1,26000)");
    int blocks = Math.ceilDiv(130, rows);
    var scales = tensor(ElementType.F32, "(" + blocks + ",2,2):(2,1," + 2 * blocks + ")");
    new BlockQuantizer(rows, 128).quantize(source, narrow, scales);
    for (int l = 0; l < 2; l++) {
      for (int k = 0; k < 200; k++) {
        for (int m = 0; m < 130; m++) {
          long at = m + 130L * (k + 200L * l);
          double scale = scales.value(m / rows + (long) blocks * (k / 128 + 2L * l));
          double error = Math.abs(narrow.value(at) * scale - source.value(at));
          // What is too small to have all bits errs by a fixed part of the scale.
          assertTrue(error <= Math.max(relative * Math.abs(source.value(at)), scale * 0x1p-10), "element " + at);
        }
      }
    }
  }

  @Test
  void twoNumbersOfFourBitsShareAByteTheFirstInTheLowHalf() {
    var source = tensor(ElementType.F32, "(1,4,1):(4,1,4)");
    for (int i = 0; i < 4; i++) source.set(i, new double[] {1, -7, 3, -2}[i]);
    var narrow = tensor(ElementType.I4, "(1,4,1):(4,1,4)");
    BlockQuantizer.ROWS.quantize(source, narrow, tensor(ElementType.F32, "(1,1,1):(1,1,1)"));
    assertEquals(List.of((byte) 0x91, (byte) 0xE3), List.of(narrow.data().get(ValueLayout.JAVA_BYTE, 0),
        narrow.data().get(ValueLayout.JAVA_BYTE, 1)));
    for (int i = 0; i < 4; i++) assertEquals(source.value(i), narrow.value(i));
  }

  @Test
  void theLargestOfABlockBecomesTheLargestNumber() {
    var source = tensor(ElementType.F32, "(2,256,1):(256,1,512)");
    source.set(0, -7);
    source.set(1 + 2 * 200, 3.5);
    var narrow = tensor(ElementType.E4M3, "(2,256,1):(256,1,512)");
    var scales = tensor(ElementType.F32, "(2,2,1):(2,1,4)");
    BlockQuantizer.ROWS.quantize(source, narrow, scales);
    assertEquals(-448, narrow.value(0));
    assertEquals(448, narrow.value(1 + 2 * 200));
    assertEquals(7 / 448f, scales.value(0));
    assertEquals(3.5f / 448, scales.value(3));
    assertEquals(1, scales.value(1), "a block of zeros");
  }
}
