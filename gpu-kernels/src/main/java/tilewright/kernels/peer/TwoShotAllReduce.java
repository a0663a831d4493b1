package tilewright.kernels.peer;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;

/**
 * Y = X₀ + X₁ + …, the sum of the FP32 numbers of each device, on every device: each adds up its part of the numbers
 * and sends the sums to all others ("two-shot"). Two delays instead of one, but for R devices 2/R of the bytes. X and Y
 * have a part of N numbers for each device.
 *
 * <p>The slots need no flags that say that they have been read. A device sends sums when it has read the numbers that
 * it was sent, and the numbers of its next tile when it has read the sums.
 */
public record TwoShotAllReduce(int ranks) implements Kernel {
  static final String NUMBERS = "numbers";
  static final String SUMS = "sums";

  /**
   * Prepares the launches.
   *
   * @param n numbers of a part, a multiple of four
   * @param blocks of each device's grid
   */
  public static PeerLaunches prepare(int ranks, long n, int blocks) {
    return new PeerLaunches.Builder(new TwoShotAllReduce(ranks), ranks, blocks)
        .own("X", Layout.rowMajor(ranks, n))
        .own("Y", Layout.rowMajor(ranks, n)).mailbox(NUMBERS).mailbox(SUMS).build();
  }

  @Override
  public String name() {
    return "two_shot_all_reduce_" + ranks;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Tiles.THREADS.threads());
    var x = k.global(Tiles.of("X", "Ranks", "N").multipleOf("N", Tiles.VECTOR).fixed("Ranks", ranks));
    var y = k.global(Tiles.of("Y", "Ranks", "N").multipleOf("N", Tiles.VECTOR).fixed("Ranks", ranks));
    var numbers = new Mailbox(k, NUMBERS, ranks, thread);
    var sums = new Mailbox(k, SUMS, ranks, thread);

    Tiles.each(k, x.extent(1), tile -> {
      // 1. reduce-scatter
      for (int rank = 0; rank < ranks; rank++) Tiles.Part.ofRow(x, rank, tile, thread).copyTo(numbers.slot(rank));
      numbers.send();
      numbers.receive();
      var sum = numbers.sums();
      // 2. all-gather
      for (int rank = 0; rank < ranks; rank++) sums.slot(rank).store(sum);
      sums.send();
      sums.receive();
      for (int rank = 0; rank < ranks; rank++) {
        Tiles.Part.ofRow(y, rank, tile, thread).copyFrom(sums.received(rank));
      }
    });
  }
}
