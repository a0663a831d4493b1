package tilewright.sm90.atom;

import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** {@code st.async}: registers into another block's shared memory (PTX ISA, st.async; SM90). */
public final class AsyncStore {
  private AsyncStore() {}

  /** Four registers of 32 bits to the same place of the cluster's block of that rank, whose barrier in turn counts the 16 bytes. */
  public static void quad(Scope k, I32 place, Mbarrier landed, I32 rank, List<Operand.Register> values) {
    k.needsPtx("8.1");
    k.emit("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32", remote(k, place, rank),
        new Operand.Vector(List.copyOf(values)), remote(k, landed.place(), rank));
  }

  private static Operand.Address remote(Scope k, I32 place, I32 rank) {
    var remote = k.newRegister(PtxType.B32);
    k.emit("mapa.shared::cluster.u32", remote, place.register(), rank.operand());
    return new Operand.Address(remote, 0);
  }
}
