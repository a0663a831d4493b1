package tilewright.async.atom;

import java.util.Locale;
import java.util.stream.Stream;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.MappedTensor;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;

/**
 * {@code cp.async.bulk.tensor}: one thread moves a box of a tensor between global and shared memory (PTX ISA, Tensor
 * copy; SM90). What the tensor lacks of the box becomes zero in shared memory and is left out of global memory.
 */
public final class TensorCopy {
  private TensorCopy() {}

  /** A box to shared memory; completes on the barrier with the whole box's bytes. */
  public static void load(Scope k, Element destination, MappedTensor source, Mbarrier barrier, I32... coordinate) {
    load(k, source, "", destination.address(), source.box(k, coordinate), barrier.address());
  }

  /** A box to the same place of every block of the cluster whose bit is set, each completing on its own barrier. */
  public static void multicast(Scope k, Element destination, MappedTensor source, Mbarrier barrier,
      Operand.Register blocks, I32... coordinate) {
    load(k, source, ".multicast::cluster", destination.address(), source.box(k, coordinate), barrier.address(),
        blocks);
  }

  private static void load(Scope k, MappedTensor source, String way, Operand... operands) {
    var name = form(source, "shared::cluster.global") + ".tile.mbarrier::complete_tx::bytes" + way;
    var policy = source.policy(k);
    k.emit(name + (policy.isPresent() ? ".L2::cache_hint" : ""),
        Stream.concat(Stream.of(operands), policy.stream()).toArray(Operand[]::new));
  }

  /** A box to global memory, in this thread's present group of copies. */
  public static void store(Scope k, MappedTensor destination, Element source, I32... coordinate) {
    k.emit(form(destination, "global.shared::cta") + ".tile.bulk_group", destination.box(k, coordinate),
        source.address());
  }

  /**
   * The operation of a reducing copy on an element in memory and one that arrives; minimum and maximum are for integers
   * and 16-bit floats.
   */
  public enum Combination {
    ADD, MIN, MAX;

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Copies a box to global memory and combines it with what is there, each element atomically. Floating-point sums are
   * rounded one by one, and so depend on the order in which boxes arrive.
   */
  public static void reduce(Scope k, MappedTensor destination, Element source, Combination how, I32... coordinate) {
    k.emit("cp.reduce.async.bulk.tensor." + destination.spec().box().size() + "d.global.shared::cta." + how.text()
        + ".tile.bulk_group", destination.box(k, coordinate), source.address());
  }

  /** Fetches the map itself, which the first copy would otherwise wait for. */
  public static void prefetchMap(Scope k, MappedTensor tensor) {
    k.emit("prefetch.tensormap", tensor.map(k));
  }

  private static String form(MappedTensor tensor, String direction) {
    return "cp.async.bulk.tensor." + tensor.spec().box().size() + "d." + direction;
  }
}
