package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code wmma.mma} with {@code .satfinite}: no infinity and no NaN comes out. */
class WmmaFiniteTest {
  private static String registers(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> "%r" + i).collect(Collectors.joining(",", "{", "}"));
  }

  @Test
  void infinitiesBecomeTheLargestNumberAndNanZero() {
    // The identity but for one row, so that each result there is four times one element of B.
    short[] a = new short[256];
    for (int i = 0; i < 16; i++) a[17 * i] = Float.floatToFloat16(i == 3 ? 4 : 1);
    short[] b = new short[256];
    float[] given = {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN, 60000, -60000, 1};
    for (int i = 0; i < given.length; i++) b[48 + i] = Float.floatToFloat16(given[i]);
    short[] d = new short[256];
    var zeros = IntStream.range(20, 24).mapToObj(i -> "mov.u32 %r" + i + ", 0;\n").collect(Collectors.joining());
    var ptx = Kernels.kernel(3, "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + registers(0, 8) + ", [%p0];\n"
        + "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 " + registers(8, 8) + ", [%p1];\n" + zeros
        + "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16.satfinite " + registers(20, 4) + ", " + registers(0, 8)
        + ", " + registers(8, 8) + ", " + registers(20, 4) + ";\n"
        + "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%p2], " + registers(20, 4) + ";\n");
    assertEquals(List.of(), Kernels.run(ptx, 32, Kernels.SANITIZED, a, b, d).findings());
    float[] want = {65504, -65504, 0, 65504, -65504, 4};
    for (int i = 0; i < want.length; i++) assertEquals(want[i], Float.float16ToFloat(d[48 + i]));
  }
}
