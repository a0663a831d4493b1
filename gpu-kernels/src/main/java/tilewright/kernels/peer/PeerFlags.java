package tilewright.kernels.peer;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.PeerFlag;
import tilewright.numerics.ElementType;

/**
 * The flags of one kind between the blocks of one number on all devices: this device's own by rank of the device that
 * writes them, and its flags in the memory of the others.
 */
public record PeerFlags(Scope k, int ranks, I32 thread, GlobalTensor own, List<GlobalTensor> others) {

  /** @param name of the tensor of a device's own flags; with a rank behind it, of those with another device */
  public static PeerFlags of(Scope k, String name, int ranks, I32 thread) {
    var own = k.global(spec(name, "Ranks", "Blocks").fixed("Ranks", ranks));
    var others = IntStream.range(0, ranks).mapToObj(rank -> k.global(spec(name + rank, "Blocks"))).toList();
    return new PeerFlags(k, ranks, thread, own, others);
  }

  private static TensorSpec spec(String name, String... extents) {
    return TensorSpec.of(name, ElementType.I32, extents).contiguous("Blocks");
  }

  /** Each of the first threads waits for one device; the barrier makes visible to all what they have seen. */
  public void take(int value) {
    k.when(thread.lessThan(ranks), () -> new PeerFlag(k, own.at(thread, k.blockX())).take(value));
    k.barrier();
  }

  /** Behind what all threads did, each of the first ones tells one device. */
  public void tell(int value) {
    k.barrier();
    for (int rank = 0; rank < ranks; rank++) {
      var flags = others.get(rank);
      k.when(thread.equalTo(rank), () -> new PeerFlag(k, flags.at(k.blockX())).release(value));
    }
  }
}
