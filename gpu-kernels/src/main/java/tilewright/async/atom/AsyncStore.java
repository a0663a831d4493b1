package tilewright.async.atom;

import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Cluster;
import tilewright.ptx.Operand;

/**
 * {@code st.async}: words into the shared memory of a block of the cluster, which complete at an mbarrier there as
 * bytes that have landed (PTX ISA, Data Movement: st.async; SM90). In a launch without clusters it is an illegal
 * instruction on an H200.
 */
public final class AsyncStore {
  private AsyncStore() {}

  /** Stores one, two or four neighbours where the block of that rank has {@code place} and {@code landed}. */
  public static void store(Scope k, Element place, I32 rank, List<F32> values, Mbarrier landed) {
    var registers = values.stream().<Operand>map(F32::register).toList();
    if (values.size() == 1) store(k, place, rank, ".f32", registers.getFirst(), landed);
    else store(k, place, rank, ".v" + values.size() + ".f32", new Operand.Vector(registers), landed);
  }

  /** Stores an integer in another CTA's shared memory; {@code landed} is signalled there. */
  public static void store(Scope k, Element place, I32 rank, I32 value, Mbarrier landed) {
    store(k, place, rank, ".b32", value.register(), landed);
  }

  private static void store(Scope k, Element place, I32 rank, String type, Operand value, Mbarrier landed) {
    k.needsPtx("8.1");
    k.emit("st.async.shared::cluster.mbarrier::complete_tx::bytes" + type, Cluster.remote(k, place.address(), rank),
        value, landed.at(rank));
  }

  /** Stores four 32-bit registers in another CTA's shared memory; {@code landed} is signalled there. */
  public static void quad(Scope k, Element place, I32 rank, List<Operand.Register> values, Mbarrier landed) {
    store(k, place, rank, ".v4.b32", new Operand.Vector(List.copyOf(values)), landed);
  }
}
