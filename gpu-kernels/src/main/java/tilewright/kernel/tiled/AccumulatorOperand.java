package tilewright.kernel.tiled;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.MmaAtom;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/**
 * The accumulators of one {@code mma} product as operand A of the next: each lane rounds what it has, and nothing moves
 * between lanes (FlashAttention-2, where P = softmax(S) is multiplied with V). Which value goes where follows from the
 * layouts of the accumulators and of A.
 */
public final class AccumulatorOperand {
  private final ElementType type;
  private final int blockM;
  private final int tileM;
  private final Map<Long, Integer> values;

  private AccumulatorOperand(ElementType type, int blockM, int tileM, Map<Long, Integer> values) {
    this.type = type;
    this.blockM = blockM;
    this.tileM = tileM;
    this.values = values;
  }

  /**
   * @param first whose columns become k of the next
   * @throws TraceException where a value of A belongs to another lane than the accumulator
   */
  public static AccumulatorOperand of(TiledMma first, ElementType type) {
    for (int lane = 0; lane < MmaAtom.A.mode(0).size(); lane++) {
      long a = MmaAtom.A.mode(0).apply(lane);
      long c = MmaAtom.C.mode(0).apply(lane);
      if (a % MmaAtom.M != c % MmaAtom.M || a / MmaAtom.M != c / MmaAtom.M) {
        throw new TraceException("lane " + lane + " has no accumulator where it needs operand A");
      }
    }
    var partition = first.accumulatorPartition();
    var places = new HashMap<Long, Integer>();
    for (int v = 0; v < partition.values(); v++) places.put(partition.layout().mode(1).apply(v), v);
    int tileM = Math.toIntExact(partition.tile().getFirst());
    return new AccumulatorOperand(type, first.blockM(), tileM, Map.copyOf(places));
  }

  /** The k-slice of A that accumulators with these values make, one group a block of 16 rows. */
  public Fragment slice(Scope k, List<F32> accumulators, int slice) {
    var groups = new ArrayList<List<Operand.Register>>();
    for (int row = 0; row < blockM; row += MmaAtom.M) {
      var group = new ArrayList<Operand.Register>();
      for (int v = 0; v < MmaAtom.A.mode(1).size(); v += 2) {
        group.add(Vector.pack(k, type, accumulators.get(value(row, slice, v)),
            accumulators.get(value(row, slice, v + 1))));
      }
      groups.add(List.copyOf(group));
    }
    return new Fragment(List.copyOf(groups));
  }

  /** The accumulator that is a value of A, for a block of rows and a slice. */
  private int value(int row, int slice, int v) {
    long inAtom = MmaAtom.A.mode(1).apply(v);
    long column = inAtom / MmaAtom.M + (long) slice * MmaAtom.K;
    return values.get(inAtom % MmaAtom.M + row + column * tileM);
  }
}
