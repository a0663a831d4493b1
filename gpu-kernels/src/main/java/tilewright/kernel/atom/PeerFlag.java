package tilewright.kernel.atom;

import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * A flag of 32 bits, 0 or 1, by which threads of several devices hand over (PTX ISA, memory consistency model, scope
 * {@code .sys}). It lies in the memory of the device that waits for it; the other one writes it there.
 *
 * @param word the place of the flag, an i32
 */
public record PeerFlag(Scope k, Element word) {

  /** Sets the flag, and publishes what this thread wrote before, and what others wrote before a barrier with it. */
  public void release(int value) {
    k.emit("st.release.sys.global.b32", word.address(), new Operand.Integer(value));
  }

  /** Waits until the flag is so, makes visible what was published before it became that, and turns it over. */
  public void take(int value) {
    k.repeatUntil(() -> {
      var seen = k.newRegister(PtxType.B32);
      k.emit("ld.acquire.sys.global.b32", seen, word.address());
      return k.result(seen, 1).equalTo(value);
    });
    // The other device writes again only when it has seen what this thread releases later.
    k.emit("st.global.b32", word.address(), new Operand.Integer(1 - value));
  }
}
