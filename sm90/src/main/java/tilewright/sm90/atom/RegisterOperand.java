package tilewright.sm90.atom;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The accumulators of one product as operand A of the next: each thread rounds what it has, and nothing moves between
 * threads (FlashAttention-3, where P = softmax(S) is multiplied with V).
 *
 * @param values (thread, (value of A, slice along k)) → thread + 128 · number of its accumulator
 */
public record RegisterOperand(WgmmaAtom next, Layout values) {

  /**
   * @param first whose columns become k of the next
   * @throws TraceException where a value of A belongs to another thread than the accumulator
   */
  public static RegisterOperand of(WgmmaAtom first, WgmmaAtom next) {
    var a = next.operandA();
    if (first.columns() % next.depth() != 0) {
      throw new TraceException(first.columns() + " columns are no slices of k = " + next.depth());
    }
    var slices = Layout.of(first.columns() / next.depth(), (long) WgmmaAtom.M * next.depth());
    var whole = Layout.of(a.mode(0), Layout.of(a.mode(1), slices));
    var values = first.accumulator().rightInverse().composition(whole);
    if (!values.mode(0).isSameFunction(Layout.of(Warpgroup.SIZE, 1))) {
      throw new TraceException("accumulators " + first.accumulator() + " are not operand A " + whole
          + " of the same thread: that would be " + values);
    }
    return new RegisterOperand(next, values);
  }

  /** Registers for all slices, one group a slice. */
  public List<List<Operand.Register>> registers(Scope k) {
    var slices = new ArrayList<List<Operand.Register>>();
    for (int slice = 0; slice < slices(); slice++) {
      var group = new ArrayList<Operand.Register>();
      for (int i = 0; i < size() / 2; i++) group.add(k.newRegister(PtxType.B32));
      slices.add(List.copyOf(group));
    }
    return List.copyOf(slices);
  }

  /** Slices along k. */
  public int slices() {
    return Math.toIntExact(values.mode(1).mode(1).size());
  }

  private int size() {
    return Math.toIntExact(values.mode(1).mode(0).size());
  }

  /** The accumulator that is rounded to a value of a slice. */
  private int accumulator(int value, int slice) {
    return Math.toIntExact(values.mode(1).apply(value + (long) slice * size()) / Warpgroup.SIZE);
  }

  /**
   * Rounds what became of the accumulators into the registers of all slices.
   *
   * @param values in the order of the accumulators
   */
  public void round(Scope k, List<F32> values, List<List<Operand.Register>> into) {
    var type = next.a();
    if (type.bits() != 16) throw new TraceException("no pair of FP32 numbers is rounded to " + type.text());
    for (int slice = 0; slice < slices(); slice++) {
      for (int i = 0; i < into.get(slice).size(); i++) {
        k.emit("cvt.rn." + type.text() + "x2.f32", into.get(slice).get(i),
            values.get(accumulator(2 * i + 1, slice)).register(), values.get(accumulator(2 * i, slice)).register());
      }
    }
  }
}
