package tilewright.kernels.peer;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;

/**
 * One slot for a tile in the memory of each device, for each block and each device that sends. Blocks of one number
 * exchange with each other. A flag beside the slot says that it is full. All flags are 0 before a launch and behind it.
 *
 * <p>The steps of a block, which all its threads take: write to the {@link #slot} with each device, {@link #send},
 * {@link #receive}, read what is {@link #received}. A slot may be written again only when the other device has read it.
 */
final class Mailbox {
  static final String FULL = "Full";

  private final Scope k;
  private final int ranks;
  private final I32 thread;
  private final GlobalTensor own;
  private final List<GlobalTensor> slots;
  private final PeerFlags full;

  /** @param name that its tensors' names begin with; {@link PeerLaunches#mailbox} gives them */
  Mailbox(Scope k, String name, int ranks, I32 thread) {
    this.k = k;
    this.ranks = ranks;
    this.thread = thread;
    own = k.global(tile(name, "Ranks", "Blocks", "Tile").fixed("Ranks", ranks));
    slots = IntStream.range(0, ranks).mapToObj(rank -> k.global(tile(name + rank, "Blocks", "Tile"))).toList();
    full = PeerFlags.of(k, name + FULL, ranks, thread);
  }

  private static TensorSpec tile(String name, String... extents) {
    return Tiles.of(name, extents).fixed("Tile", Tiles.SIZE);
  }

  /** The numbers of this thread in this block's slot with a device. */
  Element slot(int rank) {
    return slots.get(rank).at(k.blockX(), place());
  }

  /** Tells all devices that their slots are full. */
  void send() {
    full.tell(1);
  }

  /** Waits until all devices have sent. */
  void receive() {
    full.take(1);
  }

  /** The numbers of this thread that a device has sent. */
  Element received(int rank) {
    return own.at(k.constant(rank), k.blockX(), place());
  }

  /** The sums of the numbers that all devices have sent, added in order of their ranks: the same bits everywhere. */
  List<F32> sums() {
    var sums = received(0).load(Tiles.VECTOR);
    for (int rank = 1; rank < ranks; rank++) {
      var more = received(rank).load(Tiles.VECTOR);
      var before = sums;
      sums = IntStream.range(0, Tiles.VECTOR).mapToObj(i -> before.get(i).plus(more.get(i))).toList();
    }
    return sums;
  }

  private I32 place() {
    return Tiles.THREADS.coordinate(thread, 0)[0];
  }
}
