package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** Loads that tell the mbarrier of the even block of a pair ({@code .cta_group::2}). */
class CtaPairTest {
  private static final int WORDS = 64;

  /** Each block loads a row of its own; block 0 waits for all bytes, and after it each block writes out its row. */
  private static final String PTX = """
      .version 8.8
      .target sm_100a
      .address_size 64
      .visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
      {
        .reg .b64 %%m, %%o, %%l;
        .reg .b32 %%r<10>;
        .reg .b16 %%h;
        .reg .pred %%p<4>;
        .shared .align 128 .b8 smem[256];
        .shared .align 8 .b64 barrier;
        mov.b64 %%m, map;
        cvta.param.u64 %%m, %%m;
        ld.param.u64 %%o, [out];
        mov.u32 %%r0, %%cluster_ctarank;
        mov.u32 %%r1, %%tid.x;
        mov.u32 %%r2, smem;
        mov.u32 %%r3, barrier;
        setp.ne.u32 %%p0, %%r1, 0;
        @%%p0 bra READY;
        mbarrier.init.shared.b64 [%%r3], 1;
        fence.mbarrier_init.release.cluster;
        mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %d;
      READY:
        barrier.cluster.arrive;
        barrier.cluster.wait;
        @%%p0 bra WAIT;
        and.b32 %%r4, %%r3, 0xFEFFFFFF;
        mov.u32 %%r5, 0;
        %s
      WAIT:
        setp.ne.u32 %%p1, %%r0, 0;
        @%%p1 bra LOADED;
      AGAIN:
        mbarrier.try_wait.parity.shared.b64 %%p2, [%%r3], 0;
        @!%%p2 bra AGAIN;
      LOADED:
        barrier.cluster.arrive;
        barrier.cluster.wait;
        shl.b32 %%r6, %%r1, 2;
        add.u32 %%r7, %%r2, %%r6;
        ld.shared.u32 %%r8, [%%r7];
        mad.lo.u32 %%r9, %%r0, 256, %%r6;
        cvt.u64.u32 %%l, %%r9;
        add.u64 %%o, %%o, %%l;
        st.global.u32 [%%o], %%r8;
        ret;
      }
      """;

  private static final String EACH = """
      cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes
        [%r2], [%m, {%r5, %r0}], [%r4];
      """;
  private static final String MULTICAST = """
      @!%p3 mov.u16 %h, 3;
      setp.ne.u32 %p3, %r0, 1;
      mov.u16 %h, 3;
      @!%p3 cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
        [%r2], [%m, {%r5, %r0}], [%r4], %h;
      """;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothBlocksBytesAreCountedInTheEvenBlock(boolean multicast) {
    var view = TensorView.of(TensorElement.U32, List.of((long) WORDS, 2L), List.of(4L * WORDS));
    var data = new int[2 * WORDS];
    Arrays.setAll(data, i -> 3 * i + 1);
    for (long seed = 0; seed < 10; seed++) {
      var out = new int[2 * WORDS];
      var launch = new Launch(PTX.formatted(2 * 4 * WORDS, multicast ? MULTICAST : EACH), "k", Dim3.of(2),
          Dim3.of(WORDS), Dim3.of(2), 0,
          Map.of("data", MemorySegment.ofArray(data), "out", MemorySegment.ofArray(out)),
          List.of(new Argument.TensorMapOf(new Argument.Buffer("data"),
              new TensorMap.Tiled(view, List.of(WORDS, 1))), new Argument.Buffer("out")));
      var result = Simulator.load(launch.ptx()).run(launch, Kernels.SANITIZED.withSeed(seed));
      assertEquals(List.of(), result.findings());
      int[] expected = data.clone();
      if (multicast) System.arraycopy(data, WORDS, expected, 0, WORDS);
      assertArrayEquals(expected, out);
    }
  }
}
