package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Tensor maps that a kernel makes from zeros in shared memory, as Triton's tensor descriptors are made. */
class BlankTensorMapTest {
  private static final int COLUMNS = 24;
  private static final int ROWS = 10;

  /** A matrix of u32, 24 by 10 with rows of 128 bytes; a box of 16 by 4 is loaded at (12, 8), and its bytes stored. */
  private static final String KERNEL = """
      .version 8.3
      .target sm_90a
      .address_size 64
      .visible .entry k(.param .u64 matrix, .param .u64 scratch, .param .u64 out)
      {
        .shared .align 128 .b8 draft[128];
        .shared .align 128 .b8 tile[256];
        .shared .align 8 .b64 bar;
        .reg .b32 %t, %d, %a, %x, %y, %tile, %bar;
        .reg .b64 %m, %s, %o, %a8;
        .reg .pred %first, %p;
        ld.param.u64 %m, [matrix];
        ld.param.u64 %s, [scratch];
        ld.param.u64 %o, [out];
        mov.u32 %t, %tid.x;
        mov.u32 %d, draft;
        mov.u32 %tile, tile;
        mov.u32 %bar, bar;
        setp.eq.u32 %first, %t, 0;
        mad.lo.u32 %a, %t, 4, %d;
        st.shared.b32 [%a], 0;
        bar.warp.sync -1;
        @!%first bra MADE;
        mbarrier.init.shared.b64 [%bar], 1;
        fence.mbarrier_init.release.cluster;
        tensormap.replace.tile.global_address.shared::cta.b1024.b64 [draft], %m;
        tensormap.replace.tile.rank.shared::cta.b1024.b32 [draft], 1;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [draft], 0, 16;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [draft], 1, 4;
        tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [draft], 0, 24;
        tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [draft], 1, 10;
        tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [draft], 0, 128;
        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [draft], 0, 1;
        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [draft], 1, 1;
        tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [draft], 2;
        tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [draft], 0;
        tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [draft], 0;
        tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [draft], 0;
      MADE:
        bar.warp.sync -1;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%s], [draft], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%s], 128;
        mov.u32 %x, 12;
        mov.u32 %y, 8;
        @%first mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 256;
        @%first cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%s, {%x, %y}],
          [%bar];
      WAIT:
        mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;
        @!%p bra WAIT;
        mul.wide.u32 %a8, %t, 8;
        add.u64 %o, %o, %a8;
        mad.lo.u32 %a, %t, 8, %tile;
        ld.shared.b64 %a8, [%a];
        st.global.b64 [%o], %a8;
        ret;
      }
      """;

  private static SimulationResult run(String ptx, int[] out) {
    var matrix = IntStream.range(0, 32 * ROWS).map(i -> i + 1).toArray();
    var launch = new Launch(ptx, "k", Dim3.ONE, Dim3.of(32), Dim3.ONE, 0,
        Map.of("matrix", MemorySegment.ofArray(matrix), "scratch", MemorySegment.ofArray(new long[16]), "out",
            MemorySegment.ofArray(out)),
        List.of(new Argument.Buffer("matrix"), new Argument.Buffer("scratch"), new Argument.Buffer("out")));
    return Simulator.load(ptx).run(launch, SimulatorOptions.defaults().withSanitizer(true));
  }

  @Test
  void zerosWhoseFieldsWereAllReplacedAreATensorMap() {
    int[] out = new int[64];
    Arrays.fill(out, -1);
    assertEquals(List.of(), run(KERNEL, out).findings());
    assertArrayEquals(IntStream.range(0, 64).map(i -> {
      int x = 12 + i % 16;
      int y = 8 + i / 16;
      return x < COLUMNS && y < ROWS ? y * 32 + x + 1 : 0;
    }).toArray(), out);
  }

  @Test
  void aCopyByAMapThatLacksAFieldNamesTheField() {
    var fields = KERNEL.lines().filter(line -> line.contains("tensormap.replace")).toList();
    assertEquals(13, fields.size());
    for (var line : fields) {
      var words = line.strip().split("[ .,;\\[\\]]+");
      boolean ordinal = words.length == 10;
      // Without its rank, the map would have one dimension.
      var field = words[3] + (ordinal ? "[" + words[8] + "]" : "");
      var findings = run(KERNEL.replace(line + "\n", ""), new int[64]).findings();
      assertEquals(1, findings.size());
      assertEquals(Finding.Kind.INVALID_OPERATION, findings.getFirst().kind());
      assertTrue(findings.getFirst().message().endsWith("tensormap.replace it: " + field),
          () -> findings.getFirst().message());
    }
  }

  @Test
  void whatIsNeitherZerosNorAMapCannotBeEdited() {
    var findings = run(KERNEL.replace("st.shared.b32 [%a], 0;", "st.shared.b32 [%a], %t;"), new int[64]).findings();
    assertTrue(findings.getFirst().message().contains("neither a tensor map nor 128 bytes of zeros"),
        findings::toString);
  }
}
