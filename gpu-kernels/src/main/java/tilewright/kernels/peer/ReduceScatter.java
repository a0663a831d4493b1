package tilewright.kernels.peer;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;

/**
 * Y, the device's part of the sums of all devices' FP32 numbers. X has a part of N numbers for each device, in order of
 * their ranks; each device sends every part to whose it is, and adds up what it gets.
 */
public record ReduceScatter(int ranks) implements Kernel {
  static final String MAIL = "mail";
  /** The flags that a device sets when it fills slots, and that their readers clear. */
  static final String BUSY = "busy";

  /**
   * Prepares the launches.
   *
   * @param n numbers of a part, a multiple of four
   * @param blocks of each device's grid
   */
  public static PeerLaunches prepare(int ranks, long n, int blocks) {
    return new PeerLaunches.Builder(new ReduceScatter(ranks), ranks, blocks)
        .own("X", Layout.rowMajor(ranks, n)).own("Y", Layout.of(n, 1)).mailbox(MAIL).flags(BUSY).build();
  }

  @Override
  public String name() {
    return "reduce_scatter_" + ranks;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Tiles.THREADS.threads());
    var x = k.global(Tiles.of("X", "Ranks", "N").multipleOf("N", Tiles.VECTOR).fixed("Ranks", ranks));
    var y = Tiles.vector(k, "Y", "N");
    var mail = new Mailbox(k, MAIL, ranks, thread);
    var busy = PeerFlags.of(k, BUSY, ranks, thread);

    Tiles.each(k, y.extent(0), tile -> {
      busy.take(0);
      for (int rank = 0; rank < ranks; rank++) Tiles.Part.ofRow(x, rank, tile, thread).copyTo(mail.slot(rank));
      mail.send();
      mail.receive();
      new Tiles.Part(y, tile, thread).store(k, mail.sums());
      busy.tell(0);
    });
  }
}
