package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** Strong accesses of several elements come in one piece, as on hardware. */
class WholeAccessesTest {
  private static final int LANES = 32;
  /** Many, for that a torn access shows: two blocks on two processors meet in some of them only. */
  private static final int ROUNDS = 30_000;

  /**
   * After both blocks have met, one writes vectors of equal elements, the other counts those that it reads whose elements
   * differ, each lane in a place of its own.
   */
  private static String writerAndReader(String store, String load, String type, int bytes) {
    return Kernels.kernel("sm_90", 2, "", """
          .reg .%s %%v<4>;
          .reg .b128 %%x;
          mov.u32 %%r1, %%ctaid.x;
          mov.u32 %%r2, 0;
          mov.u32 %%r3, 0;
          mul.wide.u32 %%l1, %%t, %d;
          add.u64 %%l1, %%l1, %%p0;
          add.u64 %%l1, %%l1, 32;
          atom.add.acq_rel.gpu.global.u32 %%r4, [%%p0], 1;
        MEET:
          ld.acquire.gpu.global.u32 %%r4, [%%p0];
          setp.lt.u32 %%q0, %%r4, 64;
          @%%q0 bra MEET;
        AGAIN:
          setp.eq.u32 %%q1, %%r1, 1;
          @%%q1 bra READER;
          cvt.u64.u32 %%l2, %%r2;
          cvt.u%d.u64 %%v0, %%l2;
          mov.b%d %%v1, %%v0;
          mov.b%d %%v2, %%v0;
          mov.b%d %%v3, %%v0;
          %s
          bra NEXT;
        READER:
          %s
          setp.ne.%s %%q2, %%v0, %%v1;
          @%%q2 add.u32 %%r3, %%r3, 1;
        NEXT:
          add.u32 %%r2, %%r2, 1;
          setp.lt.u32 %%q3, %%r2, %d;
          @%%q3 bra AGAIN;
          @!%%q1 bra END;
          add.u64 %%l3, %%p1, %%t4;
          st.global.u32 [%%l3], %%r3;
        END:
        """.formatted(type, bytes, bits(type), bits(type), bits(type), bits(type),
            store, load, type, ROUNDS));
  }

  private static int bits(String type) {
    return Integer.parseInt(type.substring(1));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "st.relaxed.gpu.global.v2.u64 [%l1], {%v0, %v1}; | ld.relaxed.gpu.global.v2.u64 {%v0, %v1}, [%l1]; | u64 | 16",
      "st.relaxed.gpu.v2.u64 [%l1], {%v0, %v1}; | ld.relaxed.gpu.v2.u64 {%v0, %v1}, [%l1]; | u64 | 16",
      "st.volatile.global.v4.u32 [%l1], {%v0, %v2, %v3, %v1}; | "
          + "ld.volatile.global.v4.u32 {%v0, %v2, %v3, %v1}, [%l1]; | u32 | 16",
      "st.release.gpu.global.v2.u32 [%l1], {%v0, %v1}; | ld.acquire.gpu.global.v2.u32 {%v0, %v1}, [%l1]; | u32 | 8",
      "mov.b128 %x, {%v0, %v1}; st.relaxed.gpu.global.b128 [%l1], %x; | "
          + "ld.relaxed.gpu.global.b128 %x, [%l1]; mov.b128 {%v0, %v1}, %x; | u64 | 16"})
  void noBlockSeesAPartOfWhatAnotherStores(String store, String load, String type, int bytes) {
    var ptx = writerAndReader(store, load, type, bytes);
    var torn = new int[LANES];
    var launch = Kernels.launch(ptx, Dim3.of(2), Dim3.of(LANES), 0, new int[8 + 4 * LANES], torn)
        .with(LaunchFeature.COOPERATIVE);
    var options = Kernels.PLAIN.withThreads(2).withInstructionLimit(1_000_000_000);
    assertEquals(List.of(), Simulator.load(ptx).run(launch, options).findings());
    assertArrayEquals(new int[LANES], torn);
  }
}
