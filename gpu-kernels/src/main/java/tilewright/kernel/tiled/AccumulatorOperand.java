package tilewright.kernel.tiled;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/**
 * The accumulators of one {@code mma} product as operand A of the next: each lane rounds what it has, and nothing moves
 * between lanes (FlashAttention-2, where P = softmax(S) is multiplied with V). Which value goes where follows from the
 * layouts of the accumulators and of A.
 */
public final class AccumulatorOperand {
  private static final int REGISTER_BITS = 32;

  private final MmaAtom next;
  private final int blockM;
  private final int tileM;
  private final Layout values;
  private final Map<Long, Integer> places;

  private AccumulatorOperand(MmaAtom next, TiledMma first, Layout values, Map<Long, Integer> places) {
    this.next = next;
    this.blockM = first.blockM();
    this.tileM = Math.toIntExact(first.accumulatorPartition().tile().getFirst());
    this.values = values;
    this.places = places;
  }

  /**
   * @param first whose columns become k of the next
   * @throws TraceException where a value of A belongs to another lane than the accumulator, or operand B of the next
   *     has its rows in another order than A then has its columns
   */
  public static AccumulatorOperand of(TiledMma first, TiledMma next) {
    var atom = next.atom();
    // The accumulators of as many atoms as make a slice of A.
    var atoms = Layout.of(atom.depth() / MmaAtom.N, (long) MmaAtom.M * MmaAtom.N);
    var held = Layout.of(MmaAtom.C.mode(0), Layout.of(MmaAtom.C.mode(1), atoms));
    var conformance = LayoutConformance.of(held, atom.operandA(), MmaAtom.M, atom.depth());
    conformance.requireOrder(next.orderOfB());
    var partition = first.accumulatorPartition();
    var places = new HashMap<Long, Integer>();
    for (int v = 0; v < partition.values(); v++) places.put(partition.layout().mode(1).apply(v), v);
    return new AccumulatorOperand(atom, first, held.mode(1).composition(conformance.values()), Map.copyOf(places));
  }

  /** The k-slice of A that accumulators with these values make, one group a block of 16 rows. */
  public Fragment slice(Scope k, List<F32> accumulators, int slice) {
    int perRegister = REGISTER_BITS / next.operand().bits();
    var groups = new ArrayList<List<Operand.Register>>();
    for (int row = 0; row < blockM; row += MmaAtom.M) {
      var group = new ArrayList<Operand.Register>();
      int first = row;
      for (int v = 0; v < values.size(); v += perRegister) {
        var neighbours = IntStream.range(v, v + perRegister)
            .mapToObj(i -> accumulators.get(accumulator(first, slice, i))).toList();
        group.addAll(Vector.rounded(k, next.operand(), neighbours).registers());
      }
      groups.add(List.copyOf(group));
    }
    return new Fragment(List.copyOf(groups));
  }

  /** The accumulator that is a value of A, for a block of rows and a slice. */
  private int accumulator(int row, int slice, int v) {
    long inSlice = values.apply(v);
    long column = inSlice / MmaAtom.M + (long) slice * next.depth();
    return places.get(inSlice % MmaAtom.M + row + column * tileM);
  }
}
