package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** Which launches with clusters are accepted, and that all their blocks run. */
class ClusterLaunchTest {
  private static final String COUNT = "red.global.add.u32 [%p0], 1;\n";

  private static Launch launch(String target, String directives, Dim3 grid, Dim3 cluster, int[] out) {
    var ptx = Kernels.kernel(target, 1, "", COUNT).replace(")\n{", ")\n" + directives + "\n{");
    var l = Kernels.launch(ptx, grid, Dim3.of(32), 0, out);
    return new Launch(ptx, "k", grid, l.block(), cluster, 0, l.buffers(), l.arguments());
  }

  private static int count(String directives, Dim3 grid, Dim3 cluster) {
    int[] out = new int[1];
    var launch = launch("sm_90", directives, grid, cluster, out);
    assertEquals(List.of(), Simulator.load(launch.ptx()).run(launch, Kernels.PLAIN).findings());
    return out[0];
  }

  @Test
  void everyBlockOfEveryClusterRuns() {
    assertEquals(32 * 4 * 6 * 2, count("", new Dim3(4, 6, 2), new Dim3(2, 3, 1)));
    assertEquals(32 * 16, count("", Dim3.of(16), Dim3.of(16)));
  }

  @Test
  void theKernelMayNameItsCluster() {
    assertEquals(32 * 8, count(".explicitcluster .reqnctapercluster 4", Dim3.of(8), Dim3.ONE));
    assertEquals(32 * 8, count(".reqnctapercluster 4, 1, 1", Dim3.of(8), Dim3.of(4)));
    assertEquals(32 * 8, count(".explicitcluster .maxclusterrank 4", Dim3.of(8), Dim3.of(2)));
  }

  @Test
  void blocksMayBeClusters() {
    assertEquals(32 * 3 * 4, count(".reqntid 32 .reqnctapercluster 4 .blocksareclusters", Dim3.of(3), Dim3.ONE));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "sm_90||6|4|grid (6,1,1) is no multiple of cluster (4,1,1)",
      "sm_90|.reqnctapercluster 4|6|1|grid (6,1,1) is no multiple of cluster (4,1,1)",
      "sm_90|.reqnctapercluster 4|8|2|cluster (2,1,1) does not fit kernel 'k', which has .reqnctapercluster (4,1,1)",
      "sm_90|.explicitcluster|8|1|name the launch's cluster",
      "sm_90|.maxclusterrank 4|8|8|has 8 blocks, but kernel 'k' allows at most 4",
      "sm_90||32|32|has 32 blocks, but kernel 'k' allows at most 16",
      "sm_90||8|0|every extent must be at least 1",
      "sm_80||8|2|needs .target sm_90 or higher"})
  void launchesThatDoNotFitAreRefused(String target, String directives, int grid, int cluster, String message) {
    var launch = launch(target, directives == null ? "" : directives, Dim3.of(grid), Dim3.of(cluster), new int[1]);
    var program = Simulator.load(launch.ptx());
    var e = assertThrows(IllegalArgumentException.class, () -> program.run(launch, Kernels.PLAIN));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void equalSeedsReplayEqualSchedulesOfAWholeCluster() {
    var ptx = Kernels.kernel("sm_90", 1, "", """
        mov.u32 %r0, %ctaid.x;
        atom.global.add.u32 %r1, [%p0], 1;
        mul.wide.u32 %l0, %r1, 4;
        add.u64 %l0, %l0, %p0;
        st.global.u32 [%l0+4], %r0;
        """);
    int[] first = order(ptx, 5);
    assertArrayEquals(first, order(ptx, 5));
    boolean differs = false;
    for (long seed = 0; seed < 8; seed++) differs |= !java.util.Arrays.equals(first, order(ptx, seed));
    assertTrue(differs);
  }

  private static int[] order(String ptx, long seed) {
    int[] out = new int[1 + 4];
    var l = Kernels.launch(ptx, Dim3.of(4), Dim3.of(1), 0, out);
    var launch = new Launch(ptx, "k", l.grid(), l.block(), Dim3.of(4), 0, l.buffers(), l.arguments());
    Simulator.load(ptx).run(launch, Kernels.PLAIN.withSeed(seed));
    return out;
  }
}
