package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * A reduction over the whole grid in one launch: every block leaves its result in a scratch tensor "partial" of so many
 * FP32 numbers, and whichever draws the last ticket combines all of them in their order, so that every run has the same
 * bits. The scratch tensor "tickets" of one integer is 0 before the launch and 0 again after it.
 *
 * @param group the whole block
 * @param blocks of the grid
 */
public record LastBlock(Scope k, ThreadGroup group, int blocks) {

  /** Hands the sum of all blocks' values to {@code use}, in one thread of one block. */
  public void sum(F32 value, Consumer<F32> use) {
    var partial = k.global(TensorSpec.of("partial", ElementType.F32, "blocks").contiguous("blocks"));
    var tickets = k.global(TensorSpec.of("tickets", ElementType.I32, "one"));
    var leader = group.thread().equalTo(0);
    var drawn = k.shared(ElementType.I32, Layout.of(1, 1)).at(k.constant(0));

    k.when(leader, () -> {
      partial.at(k.blockX()).store(value);
      drawn.store(tickets.at(k.constant(0)).drawTicket(blocks));
    });
    k.barrier();
    k.when(drawn.loadInteger(blocks - 1).equalTo(blocks - 1), () -> {
      var sum = group.sum(mine(partial).stream().reduce(k.constant(0f), F32::plus));
      k.when(leader, () -> use.accept(sum));
    });
  }

  /** The blocks' values that this thread adds: all reads are under way at once, since the whole grid waits for them. */
  private List<F32> mine(GlobalTensor partial) {
    var values = new ArrayList<F32>();
    for (int from = 0; from < blocks; from += group.size()) {
      var block = group.thread().plus(from);
      values.addAll(partial.at(block).vectorOrZeros(1, partial.contains(block)).values());
    }
    return values;
  }
}
