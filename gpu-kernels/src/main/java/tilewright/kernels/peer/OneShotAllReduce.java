package tilewright.kernels.peer;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;

/**
 * Y = X₀ + X₁ + …, the sum of the N FP32 numbers of each device, on every device: each sends all of its numbers to all
 * others and adds up what it gets ("one-shot"). The least delay, for few numbers.
 */
public record OneShotAllReduce(int ranks) implements Kernel {
  static final String MAIL = "mail";
  /** The flags that a device sets when it fills slots, and that their readers clear. */
  static final String BUSY = "busy";

  /**
   * Prepares the launches.
   *
   * @param n numbers of each device, a multiple of four
   * @param blocks of each device's grid
   */
  public static PeerLaunches prepare(int ranks, long n, int blocks) {
    return new PeerLaunches.Builder(new OneShotAllReduce(ranks), ranks, blocks)
        .own("X", Layout.of(n, 1)).own("Y", Layout.of(n, 1))
        .mailbox(MAIL).flags(BUSY).build();
  }

  @Override
  public String name() {
    return "one_shot_all_reduce_" + ranks;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Tiles.THREADS.threads());
    var x = Tiles.vector(k, "X", "N");
    var y = Tiles.vector(k, "Y", "N");
    var mail = new Mailbox(k, MAIL, ranks, thread);
    var busy = PeerFlags.of(k, BUSY, ranks, thread);

    Tiles.each(k, x.extent(0), tile -> {
      busy.take(0);
      for (int rank = 0; rank < ranks; rank++) new Tiles.Part(x, tile, thread).copyTo(mail.slot(rank));
      mail.send();
      mail.receive();
      new Tiles.Part(y, tile, thread).store(k, mail.sums());
      busy.tell(0);
    });
  }
}
