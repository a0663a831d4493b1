package tilewright.kernel.atom;

import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Instructions of thread block clusters (PTX ISA, {@code mapa} and {@code barrier.cluster}; SM90). */
public final class Cluster {
  private Cluster() {}

  /** Says that this thread is here and has written what it wrote. */
  public static void arrive(Scope k) {
    k.emit("barrier.cluster.arrive.release.aligned");
  }

  /** Waits until all threads of the cluster have arrived; what they wrote, in each other's memory too, is visible. */
  public static void await(Scope k) {
    k.emit("barrier.cluster.wait.acquire.aligned");
  }

  /** Writes an FP32 number into the shared memory of the block of that rank, where this block has {@code place}. */
  public static void store(Scope k, Element place, I32 rank, F32 value) {
    k.emit("st.shared::cluster.f32", remote(k, place.address(), rank), value.register());
  }

  /** The operand for the place that an operand names in this block's shared memory, in that of the block of that rank. */
  public static Operand.Address remote(Scope k, Operand.Address here, I32 rank) {
    var there = k.newRegister(PtxType.B32);
    k.emit("mapa.shared::cluster.u32", there, here.base(), rank.operand());
    return new Operand.Address(there, here.offset());
  }
}
