package tilewright.kernel.collective;

import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Two phases of one launch. The second sees what thread 0 of every block of the first has written, although not all
 * blocks need to be resident together: of {@code 2 · blocks} blocks each draws a ticket, and the first half of the
 * tickets is for the first phase. Who waits therefore waits only for blocks that run already and themselves wait for no
 * one. The scratch tensor "tickets" of two integers is 0 before the launch and 0 again after it.
 *
 * @param blocks of a phase
 */
public record GridPhases(Scope k, I32 thread, int blocks) {

  /** Does one of the phases with its block's number among the phase's. */
  public void run(Consumer<I32> first, Consumer<I32> second) {
    var tickets = k.global(TensorSpec.of("tickets", ElementType.I32, "two").contiguous("two"));
    var leader = thread.equalTo(0);
    var drawn = k.shared(ElementType.I32, Layout.of(1, 1)).at(k.constant(0));
    k.when(leader, () -> drawn.store(tickets.at(k.constant(0)).drawTicket(2 * blocks)));
    k.barrier();
    var number = drawn.loadInteger(2L * blocks - 1);
    k.when(number.lessThan(blocks), () -> {
      first.accept(number);
      finish(tickets);
    }, () -> {
      k.when(leader, () -> tickets.at(k.constant(1)).await(blocks));
      k.barrier();
      second.accept(number.minus(k.constant(blocks)).max(0));
      finish(tickets);
    });
  }

  /** The last of all makes the count 0 again. */
  private void finish(GlobalTensor tickets) {
    k.when(thread.equalTo(0), () -> tickets.at(k.constant(1)).drawTicket(2 * blocks));
  }
}
