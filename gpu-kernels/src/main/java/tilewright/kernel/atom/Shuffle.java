package tilewright.kernel.atom;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Values between the lanes of a warp, all of which take part (PTX ISA, shfl.sync, redux.sync and vote.sync). */
public final class Shuffle {
  private static final Operand WHOLE_WARP = new Operand.Integer(0x1F);
  private static final Operand EVERY_LANE = new Operand.Integer(-1);

  private Shuffle() {}

  /** The value of the lane whose number differs in exactly the bits of {@code mask}. */
  public static F32 butterfly(Scope k, F32 value, int mask) {
    var result = k.newRegister(PtxType.F32);
    exchange(k, result, value.register(), mask);
    return k.result(result);
  }

  /**
   * Four neighbouring lanes trade what each has of four items: lane q of them gets all parts of item q, in the order of
   * the lanes they come from.
   *
   * @param items registers of 32 bits
   */
  public static List<Operand.Register> tradeInFours(Scope k, I32 thread, List<Operand.Register> items) {
    var odd = thread.modulo(2).equalTo(1);
    var high = thread.dividedBy(2).modulo(2).equalTo(1);
    // Of items 2h and 2h + 1 a lane keeps its own parity's: first this lane's part and the neighbour's, in lane order.
    var kept = new ArrayList<List<Operand.Register>>();
    for (int h = 0; h < 2; h++) kept.add(trade(k, odd, 1, List.of(items.get(2 * h)), List.of(items.get(2 * h + 1))));
    return trade(k, high, 2, kept.get(0), kept.get(1));
  }

  /** Lanes where the predicate holds keep the second list, others the first, each with the partner's part beside it. */
  private static List<Operand.Register> trade(Scope k, Pred second, int mask, List<Operand.Register> a,
      List<Operand.Register> b) {
    var mine = new ArrayList<Operand.Register>();
    var theirs = new ArrayList<Operand.Register>();
    for (int i = 0; i < a.size(); i++) {
      mine.add(choose(k, second, b.get(i), a.get(i)));
      var received = k.newRegister(PtxType.B32);
      exchange(k, received, choose(k, second, a.get(i), b.get(i)), mask);
      theirs.add(received);
    }
    var ordered = new ArrayList<Operand.Register>();
    for (int i = 0; i < mine.size(); i++) ordered.add(choose(k, second, theirs.get(i), mine.get(i)));
    for (int i = 0; i < mine.size(); i++) ordered.add(choose(k, second, mine.get(i), theirs.get(i)));
    return ordered;
  }

  private static Operand.Register choose(Scope k, Pred condition, Operand.Register yes, Operand.Register no) {
    var result = k.newRegister(PtxType.B32);
    k.emit("selp.b32", result, yes, no, condition.register());
    return result;
  }

  /** The sum over all lanes, in every lane ({@code redux.sync}; SM80). */
  public static I32 sum(Scope k, I32 value) {
    var result = k.newRegister(PtxType.B32);
    k.emit("redux.sync.add.s32", result, value.register(), EVERY_LANE);
    return k.result(result, Integer.MAX_VALUE);
  }

  /** The first lane's value: what is the same for a whole warp, so that the assembler knows it too. */
  public static I32 first(Scope k, I32 value, int max) {
    var result = k.newRegister(PtxType.B32);
    k.emit("shfl.sync.idx.b32", result, value.register(), new Operand.Integer(0), WHOLE_WARP, EVERY_LANE);
    return k.result(result, max);
  }

  /**
   * The lane's own value by way of a shuffle, through which no assembler looks: what is computed from it is computed
   * here, and needs no register through the loops around.
   */
  public static I32 own(Scope k, I32 value, int max) {
    var result = k.newRegister(PtxType.B32);
    exchange(k, result, value.register(), 0);
    return k.result(result, max);
  }

  /** Whether the predicate holds in any lane (PTX ISA, vote.sync). */
  public static Pred any(Scope k, Pred mine) {
    var result = k.newRegister(PtxType.PRED);
    k.emit("vote.sync.any.pred", result, mine.register(), EVERY_LANE);
    return k.predicate(result);
  }

  private static void exchange(Scope k, Operand.Register result, Operand.Register value, int mask) {
    k.emit("shfl.sync.bfly.b32", result, value, new Operand.Integer(mask), WHOLE_WARP, EVERY_LANE);
  }
}
