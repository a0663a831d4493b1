package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Neighbouring threads that reduce together, a power of two: up to a warp by shuffles alone, several warps through
 * shared memory. Every thread of the block has to take part. Partners are paired as in a binary tree, so the result is
 * the same in every thread and in every run.
 *
 * @param size threads of a group
 */
public record ThreadGroup(Scope k, I32 thread, int block, int size) {
  public ThreadGroup {
    if (Integer.bitCount(size) != 1 || block % size != 0) {
      throw new TraceException("invalid group of " + size + " in a block of " + block
          + " threads: a power of two that divides the block");
    }
  }

  /** The sum of every thread's value, in every thread. */
  public F32 sum(F32 value) {
    return reduce(value, F32::plus);
  }

  /** The largest of every thread's values, in every thread; NaN where one is. */
  public F32 max(F32 value) {
    return reduce(value, F32::max);
  }

  /** Combines every thread's value by a commutative operation. */
  public F32 reduce(F32 value, BinaryOperator<F32> operation) {
    return reduceAll(List.of(value), (a, b) -> List.of(operation.apply(a.getFirst(), b.getFirst()))).getFirst();
  }

  /** Combines every thread's tuple, such as a maximum and a sum relative to it, by a commutative operation. */
  public List<F32> reduceAll(List<F32> values, BinaryOperator<List<F32>> operation) {
    var inWarp = butterflies(values, Math.min(size, Warp.SIZE), operation);
    return size <= Warp.SIZE ? inWarp : acrossWarps(inWarp, operation);
  }

  private List<F32> butterflies(List<F32> values, int lanes, BinaryOperator<List<F32>> operation) {
    var result = values;
    for (int mask = lanes / 2; mask > 0; mask /= 2) {
      var others = new ArrayList<F32>();
      for (var value : result) others.add(Shuffle.butterfly(k, value, mask));
      result = operation.apply(result, others);
    }
    return result;
  }

  /** Each warp leaves its result in shared memory; each warp reads all of its group's and reduces once more. */
  private List<F32> acrossWarps(List<F32> values, BinaryOperator<List<F32>> operation) {
    int warps = size / Warp.SIZE;
    var partial = k.shared(ElementType.F32, Layout.columnMajor(warps, block / size, values.size()));
    var lane = thread.modulo(Warp.SIZE);
    var warp = thread.dividedBy(Warp.SIZE).modulo(warps);
    var group = thread.dividedBy(size);
    k.when(lane.equalTo(0), () -> {
      for (int i = 0; i < values.size(); i++) partial.at(warp, group, k.constant(i)).store(values.get(i));
    });
    k.barrier();
    var all = new ArrayList<F32>();
    for (int i = 0; i < values.size(); i++) all.add(partial.at(lane.modulo(warps), group, k.constant(i)).load());
    return butterflies(all, warps, operation);
  }
}
