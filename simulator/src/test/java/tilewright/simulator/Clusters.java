package tilewright.simulator;

import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** Builds and runs small PTX kernels whose blocks make up clusters. */
final class Clusters {
  /** Leaves the block's number in %r9. */
  static final String BLOCK = """
      mov.u32 %r9, %ctaid.z;
      mov.u32 %r8, %nctaid.y;
      mov.u32 %r7, %ctaid.y;
      mad.lo.u32 %r9, %r9, %r8, %r7;
      mov.u32 %r8, %nctaid.x;
      mov.u32 %r7, %ctaid.x;
      mad.lo.u32 %r9, %r9, %r8, %r7;
      """;

  private Clusters() {}

  /** As {@link Kernels#kernel(int, String)}, for SM90. */
  static String kernel(int buffers, String body) {
    return Kernels.kernel("sm_90", buffers, "", body);
  }

  static SimulationResult run(String ptx, Dim3 grid, int threads, Dim3 cluster, SimulatorOptions options,
      Object... arrays) {
    var l = Kernels.launch(ptx, grid, Dim3.of(threads), 0, arrays);
    return Simulator.load(ptx).run(inClusters(l, cluster), options);
  }

  private static Launch inClusters(Launch l, Dim3 cluster) {
    return new Launch(l.ptx(), l.entry(), l.grid(), l.block(), cluster, l.dynamicSharedBytes(), l.buffers(),
        l.arguments());
  }

  /** One cluster of so many blocks. */
  static SimulationResult run(String ptx, int blocks, int threads, SimulatorOptions options, Object... arrays) {
    return run(Simulator.load(ptx), ptx, blocks, threads, options, arrays);
  }

  /** As above, of a module that was loaded already. */
  static SimulationResult run(Program program, String ptx, int blocks, int threads, SimulatorOptions options,
      Object... arrays) {
    var l = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(threads), 0, arrays);
    return program.run(inClusters(l, Dim3.of(blocks)), options);
  }
}
