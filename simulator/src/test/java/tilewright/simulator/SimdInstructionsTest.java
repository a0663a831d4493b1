package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Video instructions on bytes and halves, field by field. */
class SimdInstructionsTest {
  private static final int N = 2000;

  private static int field(int word, int shift, int bits, boolean signed) {
    int value = word >>> shift & (1 << bits) - 1;
    return signed && value >= 1 << bits - 1 ? value - (1 << bits) : value;
  }

  private static int define(String operation, int a, int b) {
    return switch (operation) {
      case "vadd" -> a + b;
      case "vsub" -> a - b;
      case "vavrg" -> Math.floorDiv(a + b + (a + b >= 0 ? 1 : 0), 2);
      case "vabsdiff" -> Math.abs(a - b);
      case "vmin" -> Math.min(a, b);
      case "vmax" -> Math.max(a, b);
      case "eq" -> a == b ? 1 : 0;
      default -> a < b ? 1 : 0;
    };
  }

  @ParameterizedTest
  @CsvSource({"vadd4.u32.u32.u32,vadd", "vadd2.s32.s32.s32.sat,vadd", "vsub4.s32.u32.u32.sat,vsub",
      "vsub2.u32.u32.u32,vsub", "vavrg4.u32.u32.u32,vavrg", "vavrg2.s32.s32.s32,vavrg",
      "vabsdiff4.u32.u32.u32.add,vabsdiff", "vabsdiff2.s32.s32.s32.sat,vabsdiff", "vmin4.s32.s32.s32,vmin",
      "vmax2.u32.u32.u32.add,vmax", "vset4.u32.u32.eq,eq", "vset2.s32.s32.lt.add,lt"})
  void everyFieldIsComputedAlone(String name, String operation) {
    var random = new Random(1);
    int[] a = random.ints(N).toArray();
    int[] b = random.ints(N).map(v -> v & 0xFF00FFFF).toArray();
    int[] c = random.ints(N).toArray();
    int[] got = Instructions.on32(name, a, b, c, 3);
    int bits = name.charAt(name.indexOf('.') - 1) == '4' ? 8 : 16;
    var types = name.split("\\.");
    boolean set = operation.length() == 2;
    boolean signedA = types[set ? 1 : 2].startsWith("s");
    boolean signedB = types[set ? 2 : 3].startsWith("s");
    boolean signedResult = types[1].startsWith("s");
    for (int i = 0; i < N; i++) {
      int sum = c[i];
      int fields = 0;
      for (int shift = 0; shift < 32; shift += bits) {
        int value = define(operation, field(a[i], shift, bits, signedA), field(b[i], shift, bits, signedB));
        int least = signedResult ? -(1 << bits - 1) : 0;
        if (name.contains(".sat")) value = Math.clamp(value, least, least + (1 << bits) - 1);
        sum += value;
        fields |= (value & (1 << bits) - 1) << shift;
      }
      assertEquals(name.contains(".add") ? sum : fields, got[i]);
    }
  }
}
