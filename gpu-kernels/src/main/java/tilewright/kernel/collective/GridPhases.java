package tilewright.kernel.collective;

import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Two phases of one launch. The second sees what thread 0 of every block has written before, although not all
 * blocks need to be resident together: of {@code 2 · blocks} blocks each draws a ticket, and the first half of the
 * tickets is for the first phase. Who waits therefore waits only for blocks that run already and themselves wait for no
 * one. The scratch tensor "tickets" of two integers is 0 before the launch and 0 again after it.
 *
 * @param blocks of a phase
 */
public record GridPhases(Scope k, I32 thread, int blocks) {

  /**
   * Runs this block's phase with its number among the phase's blocks. {@code between} runs in the last block that
   * finishes the first phase, and sees what thread 0 of the others has written.
   */
  public void run(Consumer<I32> first, Runnable between, Consumer<I32> second) {
    var tickets = k.global(TensorSpec.of("tickets", ElementType.I32, "two").contiguous("two"));
    var leader = thread.equalTo(0);
    var started = tickets.at(k.constant(0));
    var ended = tickets.at(k.constant(1));
    var drawn = k.shared(ElementType.I32, Layout.of(2, 1));
    var start = drawn.at(k.constant(0));
    var end = drawn.at(k.constant(1));
    k.when(leader, () -> start.store(started.drawTicket(2 * blocks)));
    k.barrier();
    var number = start.loadInteger(2L * blocks - 1);
    k.when(number.lessThan(blocks), () -> {
      first.accept(number);
      k.when(leader, () -> end.store(ended.drawTicket(2 * blocks + 1)));
      k.barrier();
      k.when(end.loadInteger(2L * blocks).equalTo(blocks - 1), () -> {
        between.run();
        k.when(leader, () -> ended.drawTicket(2 * blocks + 1));
      });
    }, () -> {
      k.when(leader, () -> ended.await(blocks + 1));
      k.barrier();
      second.accept(number.minus(k.constant(blocks)).max(0));
      // The last of all makes the count 0 again.
      k.when(leader, () -> ended.drawTicket(2 * blocks + 1));
    });
  }
}
