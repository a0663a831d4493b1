package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** What a store by tensor map reads, and which threads may store. */
class TensorStoresTest {
  private static final int ROWS = 8;

  /** Every thread writes 16 bytes at its place in a box of rows of 32; some threads store the box. */
  private static final String PTX = """
      .version 8.8
      .target sm_90a
      .address_size 64
      .visible .entry k(.param .align 64 .b8 map[128], .param .u32 swizzle)
      {
        .reg .b64 %m;
        .reg .b32 %t, %a, %r<4>;
        .reg .pred %p;
        .shared .align 128 .b8 smem[256];
        mov.b64 %m, map;
        cvta.param.u64 %m, %m;
        mov.u32 %t, %tid.x;
        shl.b32 %a, %t, 5;
        ld.param.u32 %r0, [swizzle];
        shr.u32 %r1, %a, 3;
        and.b32 %r1, %r1, %r0;
        xor.b32 %a, %a, %r1;
        mov.u32 %r2, smem;
        add.u32 %a, %a, %r2;
        add.u32 %r3, %t, 100;
        WRITE st.shared.v4.u32 [%a], {%r3, %r3, %r3, %r3};
        fence.proxy.async.shared::cta;
        bar.sync 0;
        setp.ge.u32 %p, %t, STORERS;
        @%p bra DONE;
        SOURCE
        cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m, {0, 0}], [%r2];
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
      DONE:
        ret;
      }
      """;

  private static String ptx(String write, int storers, String source) {
    return PTX.replace("WRITE", write).replace("STORERS", Integer.toString(storers)).replace("SOURCE", source);
  }

  private static SimulationResult run(String ptx, SwizzleMode swizzle, int[] out) {
    var view = TensorView.of(TensorElement.U32, List.of(4L, (long) ROWS), List.of(16L)).withSwizzle(swizzle);
    var map = new Argument.TensorMapOf(new Argument.Buffer("out"), new TensorMap.Tiled(view, List.of(8, ROWS)));
    int bits = swizzle == SwizzleMode.NONE ? 0 : 0x10;
    var launch = new Launch(ptx, "k", Dim3.ONE, Dim3.of(ROWS), Dim3.ONE, 0, Map.of("out", MemorySegment.ofArray(out)),
        List.of(map, Argument.u32(bits)));
    return Simulator.load(ptx).run(launch, SimulatorOptions.defaults().withSanitizer(true));
  }

  @ParameterizedTest
  @EnumSource(value = SwizzleMode.class, names = {"NONE", "B32"})
  void paddingOutsideTheTensorNeedNotBeWritten(SwizzleMode swizzle) {
    var out = new int[4 * ROWS];
    assertEquals(List.of(), run(ptx("", 1, ""), swizzle, out).findings());
    assertArrayEquals(IntStream.range(0, 4 * ROWS).map(i -> 100 + i / 4).toArray(), out);
  }

  @Test
  void lanesThatStoreTheSameBoxDoNotConflict() {
    var out = new int[4 * ROWS];
    assertEquals(List.of(), run(ptx("", ROWS, ""), SwizzleMode.NONE, out).findings());
    assertArrayEquals(IntStream.range(0, 4 * ROWS).map(i -> 100 + i / 4).toArray(), out);
  }

  @Test
  void lanesThatStoreDifferentBoxesToTheSamePlaceDo() {
    var source = "shl.b32 %r3, %t, 7; add.u32 %r2, %r2, %r3;";
    var result = run(ptx("", 2, source).replace("smem[256]", "smem[512]"), SwizzleMode.NONE, new int[4 * ROWS]);
    assertTrue(Kernels.kinds(result).contains(Finding.Kind.RACE), result.findings().toString());
  }

  @Test
  void aRowInsideTheTensorMustBeWritten() {
    var result = run(ptx("setp.ne.u32 %p, %t, 5; @%p", 1, ""), SwizzleMode.B32, new int[4 * ROWS]);
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ), Kernels.kinds(result));
  }
}
