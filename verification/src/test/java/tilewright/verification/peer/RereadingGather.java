package tilewright.verification.peer;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.peer.AllGather;
import tilewright.kernels.peer.PeerLaunches;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Z = Y, then the all-gather into Y: it needs the handshake before that, because Y is read in the same launch. Tiles
 * are those of the all-gather, whose blocks hand over to blocks of the same number only.
 */
record RereadingGather(int ranks) implements Kernel {
  private static final Partition THREADS = Partition.runs(128, 4, 1);

  static PeerLaunches prepare(int ranks, int n, int blocks) {
    return new PeerLaunches.Builder(new RereadingGather(ranks), ranks, blocks).own("X", Layout.of(n, 1))
        .parts("Y", Layout.rowMajor(ranks, n)).bindOwn("Y", Layout.rowMajor(ranks, n))
        .own("Z", Layout.rowMajor(ranks, n)).flags("ready").flags("done").build();
  }

  @Override
  public String name() {
    return "rereading_gather_" + ranks;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var y = k.global(of("Y"));
    var z = k.global(of("Z"));
    k.loop(k.blockX(), y.extent(1).ceilDiv(THREADS.size()), k.gridX(), tile -> {
      for (int rank = 0; rank < ranks; rank++) {
        var place = THREADS.coordinate(thread, 0)[0];
        var from = y.tile(List.of(1, THREADS.size()), k.constant(rank), tile).at(k.constant(0), place);
        var into = z.tile(List.of(1, THREADS.size()), k.constant(rank), tile).at(k.constant(0), place);
        from.copyTo(into, 4, Optional.of(from.inside()));
      }
    });
    new AllGather(ranks).trace(k);
  }

  private TensorSpec of(String name) {
    return TensorSpec.of(name, ElementType.F32, "Ranks", "N").contiguous("N").aligned(4).multipleOf("N", 4)
        .fixed("Ranks", ranks);
  }
}
