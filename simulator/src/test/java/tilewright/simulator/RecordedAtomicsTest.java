package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Floating-point atomics in global memory on operands with infinities, NaN and subnormal numbers, against what an H200
 * left there. The record begins with 16 bytes of memory a lane for f32, f16 and bf16 and as many operands; the results
 * of the forms follow.
 */
class RecordedAtomicsTest {
  private static final int LANES = 128;
  private static final int SECTION = LANES * 16;
  private static final List<String> FORMATS = List.of("f32", "f16", "bf16");

  /** {@code count} elements of a type in the section of a format. */
  private record Form(String format, String operation, int count, String type) {
    int bytes() {
      return type.equals("f32") || type.endsWith("x2") ? 4 : 2;
    }

    String kernel() {
      var register = bytes() == 2 ? "%h" : "%r";
      var values = IntStream.range(0, count).mapToObj(i -> register + i).collect(Collectors.joining(", "));
      var loads = IntStream.range(0, count).mapToObj(i ->
          "ld.global.b" + 8 * bytes() + " " + register + i + ", [%p1+" + i * bytes() + "];\n")
          .collect(Collectors.joining());
      var vector = count == 1 ? "" : ".v" + count;
      var operand = count == 1 ? values : "{" + values + "}";
      return Kernels.kernel("sm_90", 2, "", """
          mul.wide.u32 %l0, %t, 16;
          add.s64 %p0, %p0, %l0;
          add.s64 %p1, %p1, %l0;
          """ + loads + "red.global." + operation + (type.equals("f32") ? "" : ".noftz") + vector + "." + type
          + " [%p0], " + operand + ";\n");
    }
  }

  private static Stream<Form> halves(String format) {
    var vectors = Stream.of("add", "min", "max").flatMap(operation -> Stream.concat(
        Stream.of(2, 4, 8).map(count -> new Form(format, operation, count, format)),
        Stream.of(2, 4).map(count -> new Form(format, operation, count, format + "x2"))));
    return Stream.concat(vectors, Stream.of(new Form(format, "add", 1, format + "x2"),
        new Form(format, "add", 1, format)));
  }

  @Test
  void resultsAreThoseOfAnH200() throws IOException {
    byte[] record;
    try (var in = new GZIPInputStream(RecordedAtomicsTest.class.getResourceAsStream("atomics.h200.bin.gz"))) {
      record = in.readAllBytes();
    }
    var forms = Stream.concat(Stream.of(1, 2, 4).map(count -> new Form("f32", "add", count, "f32")),
        Stream.of("f16", "bf16").flatMap(RecordedAtomicsTest::halves)).toList();
    assertEquals((2 * FORMATS.size() + forms.size()) * SECTION, record.length);
    for (int k = 0; k < forms.size(); k++) {
      int section = FORMATS.indexOf(forms.get(k).format());
      byte[] memory = section(record, section);
      Kernels.run(forms.get(k).kernel(), LANES, Kernels.PLAIN, memory, section(record, FORMATS.size() + section));
      assertArrayEquals(section(record, 2 * FORMATS.size() + k), memory, forms.get(k).toString());
    }
  }

  private static byte[] section(byte[] record, int index) {
    return Arrays.copyOfRange(record, index * SECTION, (index + 1) * SECTION);
  }
}
