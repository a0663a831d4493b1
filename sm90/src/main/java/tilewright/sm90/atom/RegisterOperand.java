package tilewright.sm90.atom;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.LayoutConformance;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The accumulators of one GEMM as operand A of the next: each thread rounds what it has, and nothing moves between
 * threads (FlashAttention-3, where P = softmax(S) is multiplied with V).
 *
 * <p>Of operands of 8 bits, a thread has other columns in the accumulators than it needs in A: of 16 columns it has
 * {2t, 2t+1, 8+2t, 8+2t+1}, and A's are {4t, …, 4t+3}. The columns are therefore renamed: P and V go through the keys
 * in another {@link #order}, which leaves P·V as it is ("layout conformance"; Bikshandi and Shah, A Case Study in CUDA
 * Kernel Fusion, 2023). The order of the keys and that of the registers follow from the two thread–value layouts.
 * Where V's order is given, rows of K are renamed instead: {@link #strided}.
 *
 * @param conformance of all slices' values with the accumulators
 * @param values (value of A, slice along k) → number of the thread's accumulator
 */
public record RegisterOperand(WgmmaAtom next, LayoutConformance conformance, Layout values) {
  private static final int REGISTER_BITS = 32;

  /**
   * @param first whose columns become k of the next, in their order
   * @throws TraceException where a value of A belongs to another thread than the accumulator
   */
  public static RegisterOperand of(WgmmaAtom first, WgmmaAtom next) {
    var operand = permuted(first, next);
    operand.requireOrder(Layout.of(first.columns(), 1));
    return operand;
  }

  /**
   * Like {@link #of}, with the columns of the first in an {@link #order} that rows of the next's operand B must have
   * too.
   *
   * @throws TraceException where a thread has other rows of A than of the accumulators
   */
  public static RegisterOperand permuted(WgmmaAtom first, WgmmaAtom next) {
    return permuted(first.accumulator(), first.columns(), next);
  }

  /**
   * Like {@link #permuted(WgmmaAtom, WgmmaAtom)}, with other names for the columns of the first.
   *
   * @param columns column of the accumulators → its name, which {@link #order} has
   */
  public static RegisterOperand permuted(WgmmaAtom first, Layout columns, WgmmaAtom next) {
    return permuted(first.partition(columns).layout(), first.columns(), next);
  }

  /**
   * The names of accumulators' columns with which the {@link #order} is k itself. A thread that has s times as many
   * neighbours of A as of the accumulators has every s-th k in neighbouring columns, and those between in later ones:
   * operand B of the first has its rows so, which strided copies can put there.
   *
   * @return column of the accumulators → k of A
   */
  public static Layout strided(WgmmaAtom first, WgmmaAtom next) {
    long step = distance(next.operandA(), next.depth()) / distance(first.accumulator(), first.columns());
    return Layout.of(Layout.of(first.columns() / step, step), Layout.of(step, 1));
  }

  /** Columns from one thread of a row to the next. */
  private static long distance(Layout threadValue, int columns) {
    return Layout.of(Layout.of(WgmmaAtom.M, 0), Layout.of(columns, 1)).composition(threadValue.mode(0)).apply(1);
  }

  private static RegisterOperand permuted(Layout accumulators, int columns, WgmmaAtom next) {
    if (columns % next.depth() != 0) {
      throw new TraceException(columns + " columns are no slices of k = " + next.depth());
    }
    var a = next.operandA();
    var slices = Layout.of(columns / next.depth(), (long) WgmmaAtom.M * next.depth());
    var conformance = LayoutConformance.of(accumulators, Layout.of(a.mode(0), Layout.of(a.mode(1), slices)),
        WgmmaAtom.M, columns);
    var values = conformance.values().composition(Layout.columnMajor(a.mode(1).size(), slices.size()));
    return new RegisterOperand(next, conformance, values);
  }

  /**
   * Checks that operand B has its rows in the {@link #order} of A.
   *
   * @param rows k of operand B → column of the accumulators
   * @throws TraceException naming the first k that is another column in A than in B
   */
  public void requireOrder(Layout rows) {
    conformance.requireOrder(rows);
  }

  /** The map from k of A, over all slices, to the column of the accumulators. */
  public Layout order() {
    return conformance.order();
  }

  /** Registers for all slices, one group a slice. */
  public List<List<Operand.Register>> registers(Scope k) {
    var slices = new ArrayList<List<Operand.Register>>();
    for (int slice = 0; slice < slices(); slice++) {
      var group = new ArrayList<Operand.Register>();
      for (int i = 0; i < size() / perRegister(); i++) group.add(k.newRegister(PtxType.B32));
      slices.add(List.copyOf(group));
    }
    return List.copyOf(slices);
  }

  /** Slices along k. */
  public int slices() {
    return Math.toIntExact(values.mode(1).size());
  }

  private int size() {
    return Math.toIntExact(values.mode(0).size());
  }

  private int perRegister() {
    return REGISTER_BITS / next.a().bits();
  }

  /** The accumulator that is rounded to a value of a slice. */
  private int accumulator(int value, int slice) {
    return Math.toIntExact(values.apply(value + (long) slice * size()));
  }

  /** The numbers of the accumulators that are rounded into each register, slice after slice. */
  public List<List<Integer>> accumulators() {
    return IntStream.range(0, slices()).boxed().flatMap(slice -> IntStream.range(0, size() / perRegister())
        .mapToObj(i -> IntStream.range(i * perRegister(), (i + 1) * perRegister())
            .mapToObj(value -> accumulator(value, slice)).toList())).toList();
  }

  /**
   * Rounds what became of the accumulators into the registers of all slices.
   *
   * @param values in the order of the accumulators
   */
  public void round(Scope k, List<F32> values, List<List<Operand.Register>> into) {
    var groups = accumulators();
    var all = into.stream().flatMap(List::stream).toList();
    for (int i = 0; i < groups.size(); i++) round(k, groups.get(i).stream().map(values::get).toList(), all.get(i));
  }

  /** Rounds neighbours into one register, the first in the lowest bits. */
  public void round(Scope k, List<F32> neighbours, Operand.Register into) {
    var type = next.a().text();
    switch (neighbours.size()) {
      case 2 -> k.emit("cvt.rn." + type + "x2.f32", into, neighbours.get(1).register(), neighbours.get(0).register());
      case 4 -> {
        var low = k.newRegister(PtxType.B16);
        var high = k.newRegister(PtxType.B16);
        k.emit("cvt.rn.satfinite." + type + "x2.f32", low, neighbours.get(1).register(), neighbours.get(0).register());
        k.emit("cvt.rn.satfinite." + type + "x2.f32", high, neighbours.get(3).register(),
            neighbours.get(2).register());
        k.emit("mov.b32", into, new Operand.Vector(List.of(low, high)));
      }
      default -> throw new TraceException("no FP32 numbers are rounded to " + type);
    }
  }
}
