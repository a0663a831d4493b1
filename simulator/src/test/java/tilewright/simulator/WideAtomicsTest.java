package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Atomics on vectors, element by element, and on 128 bits (PTX ISA, atom and red). */
class WideAtomicsTest {
  private static final int LANES = 32;

  private static String vector(String prefix, int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> prefix + i).collect(Collectors.joining(", ", "{", "}"));
  }

  /** A small number whose sums with others are exact in every format. */
  private static float small(Random random) {
    return random.nextInt(-40, 40) / 4f;
  }

  private static int encode(float x, String format) {
    return switch (format) {
      case "f16" -> Float.floatToFloat16(x) & 0xFFFF;
      case "bf16" -> Float.floatToRawIntBits(x) >>> 16;
      default -> Float.floatToRawIntBits(x);
    };
  }

  private static byte[] encoded(float[] values, String format) {
    int bytes = format.equals("f32") ? 4 : 2;
    var memory = new byte[values.length * bytes];
    for (int i = 0; i < values.length; i++) {
      for (int b = 0; b < bytes; b++) memory[i * bytes + b] = (byte) (encode(values[i], format) >> 8 * b);
    }
    return memory;
  }

  private static float apply(String operation, float a, float b) {
    return switch (operation) {
      case "add" -> a + b;
      case "min" -> Math.min(a, b);
      default -> Math.max(a, b);
    };
  }

  /** {@code count} registers of {@code packed} numbers each; every lane has its own place. */
  @ParameterizedTest
  @CsvSource({"add,f32,2,1", "add,f32,4,1", "add.noftz,f16,2,1", "add.noftz,f16,8,1", "min.noftz,f16,4,1",
      "max.noftz,bf16,8,1", "add.noftz,bf16,4,1", "add.noftz,f16,4,2", "min.noftz,bf16,2,2", "max.noftz,f16,2,2",
      "add.noftz,bf16,4,2"})
  void everyElementOfAVectorIsUpdated(String operation, String format, int count, int packed) {
    var random = new Random(count);
    int elements = LANES * count * packed;
    var before = new float[elements];
    var operands = new float[elements];
    var expected = new float[elements];
    for (int i = 0; i < elements; i++) {
      before[i] = small(random);
      operands[i] = small(random);
      expected[i] = apply(operation.substring(0, 3), before[i], operands[i]);
    }
    var type = format + (packed == 2 ? "x2" : "");
    int bytes = count * packed * (format.equals("f32") ? 4 : 2);
    var register = format.equals("f32") ? "%f" : packed == 2 ? "%r" : "%h";
    var load = "ld.global." + (format.equals("f32") ? "f32" : packed == 2 ? "b32" : "b16");
    var body = new StringBuilder("mul.wide.u32 %l0, %t, " + bytes + ";\n"
        + IntStream.range(0, 4).mapToObj(i -> "add.s64 %p" + i + ", %p" + i + ", %l0;\n")
        .collect(Collectors.joining()));
    for (int i = 0; i < count; i++) {
      body.append(load + " " + register + i + ", [%p1+" + i * bytes / count + "];\n");
    }
    var instruction = ".global." + operation + ".v" + count + "." + type + " ";
    var values = vector(register, 0, count);
    body.append("atom" + instruction + vector(register, count, count) + ", [%p0], " + values + ";\n");
    body.append("red.relaxed.gpu" + instruction + "[%p2], " + values + ";\n");
    for (int i = 0; i < count; i++) {
      body.append(load.replace("ld", "st") + " [%p3+" + i * bytes / count + "], " + register + (count + i) + ";\n");
    }
    byte[] atom = encoded(before, format);
    byte[] red = encoded(before, format);
    var old = new byte[atom.length];
    var result = Kernels.run(Kernels.kernel("sm_90", 4, "", body.toString()), LANES, Kernels.SANITIZED, atom,
        encoded(operands, format), red, old);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(encoded(expected, format), atom);
    assertArrayEquals(encoded(expected, format), red);
    assertArrayEquals(encoded(before, format), old);
  }

  @Test
  void lanesThatMeetInOnePlaceAllCount() {
    float[] sums = {1, 2, 3, 4};
    var result = Kernels.run(Kernels.kernel("sm_90", 1, "", """
        cvt.rn.f32.u32 %f0, %t;
        mov.f32 %f1, 0f3F800000;
        neg.f32 %f2, %f0;
        red.global.add.v4.f32 [%p0], {%f0, %f1, %f2, %f0};
        """), LANES, Kernels.SANITIZED, sums);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(new float[] {1 + 496, 2 + 32, 3 - 496, 4 + 496}, sums);
  }

  @Test
  void aVectorMustLieAtAMultipleOfItsSize() {
    var result = Kernels.run(Kernels.kernel("sm_90", 1, "", "red.global.add.v4.f32 [%p0+8], {%f0, %f1, %f2, %f3};\n"),
        1, Kernels.PLAIN, new float[8]);
    assertEquals(List.of(Finding.Kind.MISALIGNED), Kernels.kinds(result));
  }

  /** Even lanes expect what is there, odd lanes something that differs in one half. */
  @Test
  void a128BitValueIsComparedAndReplacedAsAWhole() {
    var random = new Random(7);
    long[] memory = random.longs(2 * LANES).toArray();
    long[] swap = random.longs(2 * LANES).toArray();
    long[] compare = memory.clone();
    for (int lane = 1; lane < LANES; lane += 2) compare[2 * lane + lane / 2 % 2]++;
    long[] before = memory.clone();
    var expected = new long[2 * LANES];
    for (int i = 0; i < expected.length; i++) expected[i] = i / 2 % 2 == 0 ? swap[i] : before[i];
    var old = new long[2 * LANES];
    var exchanged = new long[2 * LANES];
    var result = Kernels.run(Kernels.kernel("sm_90", 5, "", """
        .reg .b128 %x<8>;
        mul.wide.u32 %l0, %t, 16;
        add.s64 %l1, %p0, %l0;
        add.s64 %l2, %p1, %l0;
        add.s64 %l3, %p2, %l0;
        add.s64 %l4, %p3, %l0;
        add.s64 %l5, %p4, %l0;
        ld.global.b128 %x0, [%l2];
        ld.global.b128 %x1, [%l3];
        atom.global.cas.b128 %x2, [%l1], %x1, %x0;
        st.global.b128 [%l4], %x2;
        st.global.b128 [%l5], %x1;
        atom.global.exch.b128 %x3, [%l5], %x0;
        atom.global.exch.b128 _, [%l5], %x3;
        """), LANES, Kernels.SANITIZED, memory, swap, compare, old, exchanged);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(expected, memory);
    assertArrayEquals(before, old);
    assertArrayEquals(compare, exchanged);
  }
}
