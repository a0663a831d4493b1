package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;

/**
 * Numbers of rows that several warps have parts of, combined by way of shared memory. Between two exchanges the block
 * has to meet.
 *
 * @param rows over warps
 * @param warp of those that share rows, which one a thread is in
 * @param numbers (rows, warps that share them) of FP32
 */
public record WarpExchange(Scope k, FragmentRows rows, I32 thread, UnaryOperator<I32> warp, SharedTensor numbers)
    implements OnlineSoftmax.Combination {
  private static final int QUAD = 4;

  @Override
  public List<F32> combine(List<F32> perRow, BinaryOperator<F32> operation) {
    var inWarp = rows.acrossLanes(k, perRow, operation);
    inWarp.forEach(F32::register);
    // Addresses are computed anew each time: held through a loop, they would be spilled.
    var here = thread.settled();
    k.when(here.modulo(QUAD).equalTo(0), () -> {
      for (int row = 0; row < inWarp.size(); row++) {
        numbers.at(rows.row(here, row), warp.apply(here)).store(inWarp.get(row));
      }
    });
    k.barrier();
    int warps = Math.toIntExact(numbers.layout().shape().mode(1).size());
    var all = new ArrayList<F32>();
    for (int row = 0; row < inWarp.size(); row++) {
      var place = rows.row(here, row);
      var result = numbers.at(place, k.constant(0)).load();
      for (int other = 1; other < warps; other++) {
        result = operation.apply(result, numbers.at(place, k.constant(other)).load());
      }
      all.add(result);
    }
    return all;
  }
}
