package tilewright.kernels.peer;

import java.util.stream.IntStream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;

/**
 * Y, the FP32 numbers of all devices in order of their ranks, on every device: each device stores its N numbers where
 * they belong in the memory of each, without a copy in between. A device may write to another one's Y only when that
 * one's kernel has begun: what used Y before is over then.
 */
public record AllGather(int ranks) implements Kernel {
  static final String READY = "ready";
  static final String DONE = "done";

  /**
   * Prepares the launches.
   *
   * @param n numbers of each device, a multiple of four
   * @param blocks of each device's grid
   */
  public static PeerLaunches prepare(int ranks, long n, int blocks) {
    return new PeerLaunches.Builder(new AllGather(ranks), ranks, blocks).own("X", Layout.of(n, 1))
        .parts("Y", Layout.rowMajor(ranks, n)).flags(READY).flags(DONE).build();
  }

  @Override
  public String name() {
    return "all_gather_" + ranks;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Tiles.THREADS.threads());
    var x = Tiles.vector(k, "X", "N");
    var parts = IntStream.range(0, ranks).mapToObj(rank -> Tiles.vector(k, "Y" + rank, "N")).toList();
    var ready = PeerFlags.of(k, READY, ranks, thread);
    var done = PeerFlags.of(k, DONE, ranks, thread);

    ready.tell(1);
    ready.take(1);
    Tiles.each(k, x.extent(0), tile -> {
      for (var part : parts) {
        new Tiles.Part(x, tile, thread).copyTo(new Tiles.Part(part, tile, thread).first());
      }
    });
    done.tell(1);
    done.take(1);
  }
}
