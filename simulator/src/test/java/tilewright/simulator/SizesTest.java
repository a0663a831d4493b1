package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.PtxSyntaxException;

/** Declarations have the sizes that they say, or are refused with the size, the limit and the line. */
class SizesTest {
  private static final String HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n";
  private static final int DECLARATION = 4;

  private static String module(String item, String body) {
    return HEAD + item + "\n.visible .entry k(.param .u64 out)\n{\n" + body + "\nret;\n}\n";
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      .global .align 4 .b8 v[4294967312]; | needs 4294967312 bytes of global or constant memory
      .global .b8 v[2147483647]; | but a variable here has at most 2147483631
      .global .v4 .b64 v[67108864]; | needs 2147483648 bytes
      .const .b32 v[65536][65536]; | needs 17179869184 bytes
      .global .b32 v[2] = {1, 2, 3}; | has 3 first values for 2 elements
      .global .b32 v[2][2] = {{1, 2, 3}, {4}}; | has 5 first values for 4 elements
      .global .v2 .b32 v = {1, 2, 3}; | has 3 first values for 2 elements
      .global .b64 v = w; | names w, which nothing declares
      .global .pred v; | predicates are registers only
      """)
  void moduleVariables(String item, String complaint) {
    refused(module(item, ""), DECLARATION, complaint);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      .shared .b8 v[65536][65536]; | needs 4294967296 bytes of shared memory, but a CTA has at most 232448
      .shared .align 4 .b8 v[4000000000]; | needs 4000000000 bytes
      .shared .b8 w[200000]; .shared .b8 v[32449]; | needs 232449 bytes
      .shared .align 1048576 .b8 v[4]; | is aligned to 1048576 bytes
      .shared .b32 v[2] = {1, 2}; | shared memory has no first values
      .local .b8 v[4294967296]; | needs 4294967296 bytes of local memory, but a thread has at most 524288
      .local .b8 w[500000]; .local .align 1024 .b8 v[23553]; | needs 524289 bytes
      .local .align 1073741824 .b8 w[4]; .local .align 1073741824 .b8 v[4]; | needs 1073741828 bytes
      """)
  void variablesOfFunctions(String items, String complaint) {
    refused(module("", items), DECLARATION + 3, complaint);
  }

  @Test
  void parameters() {
    var ptx = HEAD + ".visible .entry k(.param .b8 p[32760],\n.param .b64 q) { ret; }";
    refused(ptx, DECLARATION + 1, "needs 32768 bytes of parameters, but a kernel has at most 32764");
  }

  private static void refused(String ptx, int line, String complaint) {
    var problems = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx)).problems();
    assertEquals(1, problems.size(), problems::toString);
    assertTrue(problems.getFirst().reason().contains(complaint), problems::toString);
    assertEquals(line, problems.getFirst().line());
  }

  @ParameterizedTest
  @ValueSource(strings = {".global .b8 v[9223372036854775807][2];", ".shared .b64 v[1073741824][1073741824];",
      ".const .v4 .b64 v[3][1000000000][1000000000];"})
  void noSizeOverflows(String item) {
    var e = assertThrows(PtxSyntaxException.class, () -> Simulator.load(module(item, "")));
    assertEquals(DECLARATION, e.line());
    assertEquals("a variable of at most 562949953421312 bytes", e.expected());
  }

  @Test
  void registersCostWhatIsUsedOfThem() {
    int[] out = new int[1];
    var result = Kernels.run(Kernels.kernel(1, """
        .reg .b32 %big<2147483647>, x1<1000000000>;
        .reg .v4 .b32 %v<2000000000>;
        mov.u32 %big2147483646, 40;
        mov.u32 x1999999999, 2;
        mov.u32 %v1999999999.w, 100;
        { .reg .b32 %big<3>; mov.u32 %big2, 7; }
        add.u32 %r1, %big2147483646, x1999999999;
        add.u32 %r1, %r1, %v1999999999.w;
        st.global.u32 [%p0], %r1;
        """), 1, Kernels.PLAIN, out);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(new int[] {142}, out);
    var beyond = Kernels.kernel(0, ".reg .b32 %big<2147483647>;\nmov.u32 %big2147483647, 1;");
    var e = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(beyond));
    assertTrue(e.getMessage().contains("register %big2147483647 is not declared"), e::getMessage);
  }

  @Test
  void anOpenArrayIsAsLongAsItsFirstValues() {
    int[] out = new int[3];
    var ptx = Kernels.kernel("sm_80", 1, ".global .b32 v[] = {5, 6, 7};\n.const .b32 w[][2] = {{1, 2}, {3}};\n", """
        ld.global.u32 %r0, [v+8];
        ld.const.u32 %r1, [w+8];
        ld.const.u32 %r2, [w+12];
        st.global.u32 [%p0], %r0;
        st.global.u32 [%p0+4], %r1;
        st.global.u32 [%p0+8], %r2;
        """);
    assertEquals(List.of(), Kernels.run(ptx, 1, Kernels.PLAIN, out).findings());
    assertArrayEquals(new int[] {7, 3, 0}, out);
    var beyond = ptx.replace("[v+8]", "[v+12]");
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), Kernels.kinds(Kernels.run(beyond, 1, Kernels.PLAIN, out)));
  }

  @Test
  void aModulesVariablesCountAgainstTheMemoryLimit() {
    var ptx = Kernels.kernel("sm_80", 0, ".global .b8 v[1000000000];\n.global .b8 w[2000000000];\n", "");
    var result = Kernels.run(ptx, 1, Kernels.PLAIN.withMemoryLimit(2_999_999_999L));
    assertEquals(List.of(Finding.Kind.MEMORY_LIMIT), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("variables of the module 3000000000"), message);
    assertTrue(message.contains("the memory limit is 2999999999"), message);
  }
}
