package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.simulator.Finding.Kind;

/** Clusters that do the work of clusters which then are not launched: {@code clusterlaunchcontrol}. */
class ClusterLaunchControlTest {
  /**
   * Each block counts its tile, then those of the blocks whose launch it cancels; %r10 is the tile, and the first that
   * the block itself stood for is noted beside the count.
   */
  private static final String LOOP = """
      .reg .b128 %answer;
      .shared .align 16 .b8 place[16];
      .shared .align 8 .b64 bar;
      mov.u32 %r1, %cluster_ctarank;
      setp.eq.u32 %q0, %r1, 0;
      mbarrier.init.shared.b64 [bar], 1;
      fence.mbarrier_init.release.cluster;
      mov.u32 %r10, %ctaid.x;
      mov.u32 %r11, %ctaid.y;
      mov.u32 %r14, %nctaid.x;
      mad.lo.u32 %r10, %r11, %r14, %r10;
      mov.u32 %r15, %r10;
      mov.u32 %r13, 0;
      NEXT:
      MEET
      mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
      MEET
      REQUEST
      mul.wide.u32 %l0, %r10, 8;
      add.u64 %l0, %l0, %p0;
      red.global.add.u32 [%l0], 1;
      st.global.u32 [%l0+4], %r15;
      WAIT: mbarrier.try_wait.parity.shared.b64 %q1, [bar], %r13;
      @!%q1 bra WAIT;
      xor.b32 %r13, %r13, 1;
      ld.shared.b128 %answer, [place];
      clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q2, %answer;
      @!%q2 bra DONE;
      QUERY
      mad.lo.u32 %r10, %r21, %r14, %r20;
      add.u32 %r10, %r10, %r1;
      bra NEXT;
      DONE:
      """;
  private static final String VECTOR =
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r20, %r21, %r22, _}, %answer;";
  private static final String SCALARS = """
      clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r20, %answer;
      clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r21, %answer;
      """;

  private static String single(String query) {
    return LOOP.replace("MEET", "").replace("REQUEST", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
        + "complete_tx::bytes.b128 [place], [bar];").replace("QUERY", query);
  }

  private static String pairs() {
    return LOOP.replace("MEET", "barrier.cluster.arrive;\nbarrier.cluster.wait;").replace("REQUEST",
        "@%q0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all"
        + ".b128 [place], [bar];").replace("QUERY", VECTOR);
  }

  /** Runs it; returns how many tiles were done by other blocks than their own. */
  private static int run(String body, Dim3 grid, int cluster, long seed) {
    int tiles = (int) grid.size();
    int[] out = new int[2 * tiles];
    var ptx = Kernels.kernel("sm_100a", 1, "", body).replace(".version 8.8", ".version 9.0");
    var result = Clusters.run(ptx, grid, 1, Dim3.of(cluster), Kernels.SANITIZED.withSeed(seed), out);
    assertEquals(List.of(), result.findings());
    int taken = 0;
    for (int t = 0; t < tiles; t++) {
      assertEquals(1, out[2 * t], "tile " + t);
      if (out[2 * t + 1] != t) taken++;
    }
    return taken;
  }

  @ParameterizedTest
  @ValueSource(strings = {VECTOR, SCALARS})
  void everyTileIsDoneOnceByItsOwnBlockOrAnother(String query) {
    int taken = 0;
    for (long seed = 0; seed < 20; seed++) taken += run(single(query), Dim3.of(7, 5), 1, seed);
    assertTrue(taken > 20 * 35 / 2 && taken < 20 * 34, taken + " of " + 20 * 35 + " tiles were done by others");
  }

  @Test
  void allBlocksOfAClusterGetTheAnswer() {
    int taken = 0;
    for (long seed = 0; seed < 20; seed++) taken += run(pairs(), Dim3.of(8, 5), 2, seed);
    assertTrue(taken > 200, taken + " tiles were done by others");
  }

  @Test
  void equalSeedsGiveEqualClustersToEqualBlocks() {
    var ptx = Kernels.kernel("sm_100a", 1, "", single(VECTOR)).replace(".version 8.8", ".version 9.0");
    int[][] outs = new int[2][70];
    for (int[] out : outs) {
      Clusters.run(ptx, Dim3.of(7, 5), 1, Dim3.ONE, Kernels.PLAIN.withSeed(4).withThreads(2), out);
    }
    assertArrayEquals(outs[0], outs[1]);
    assertTrue(Arrays.stream(outs[0]).sum() > 0);
  }

  @Test
  void askingAgainAfterARefusalIsAnError() {
    var body = single(VECTOR).replace("@!%q2 bra DONE;", "@!%q2 bra NEXT;");
    var ptx = Kernels.kernel("sm_100a", 1, "", body).replace(".version 8.8", ".version 9.0");
    var result = Clusters.run(ptx, Dim3.of(2), 1, Dim3.ONE, Kernels.PLAIN, new int[4]);
    assertEquals(List.of(Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("an earlier request had failed"));
  }
}
