package tilewright.simulator.tcgen05;

import java.util.List;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.TensorKnowledge;

/**
 * A multiplication, copy or shift of the tensor core of one SM or of a pair (PTX ISA, Pipelined tcgen05 Instructions).
 * Some pairs of them take effect in the order of their issue; all others in any order.
 */
abstract class TensorOperation implements AsyncOperation {
  private static final String FIX =
      "wait for an mbarrier to which the operation was committed (tcgen05.commit), then a barrier";

  final Warp warp;
  final int lane;
  final int site;
  /** The CTAs it works on, the even one first. */
  final Cta[] group;

  TensorOperation(Warp warp, int lane, int site, Cta[] group) {
    this.warp = warp;
    this.lane = lane;
    this.site = site;
    this.group = group;
  }

  /** The operations of the tensor core, or of the pair, that are under way, in order of their issue. */
  private List<TensorOperation> pipeline() {
    return TensorMemory.of(group[0]).pipeline;
  }

  final void issue() {
    if (TensorWatch.of(warp.cta) != null) {
      var by = TensorWatch.begin(warp, lane, site, TensorKnowledge.Completion.COMMIT, this, verb());
      var access = Sanitizer.of(warp.cta).begin(FIX).in(TensorWatch.of(warp.cta).queue(warp), by.number());
      for (var o : operands()) o.watch(new Issuer(warp, lane, site), access);
      watch(by);
    }
    pipeline().add(this);
    warp.cta.cluster.async.issue(this);
  }

  /** Whether it takes effect after an operation that was issued earlier. */
  abstract boolean follows(TensorOperation earlier);

  abstract void run();

  /** The operands that it reads from shared memory. */
  abstract List<TensorOperand> operands();

  /** Tells the sanitizer which cells it touches. */
  abstract void watch(TensorWatch.Access by);

  /** The verb for its effect on a cell, such as {@code multiplies into}. */
  abstract String verb();

  /** The noun for the operation, such as {@code a multiplication}. */
  abstract String what();

  @Override
  public final boolean ready() {
    for (var other : pipeline()) {
      if (other == this) return true;
      if (follows(other)) return false;
    }
    return true;
  }

  @Override
  public final void complete() {
    pipeline().remove(this);
    run();
  }

  @Override
  public final int site() {
    return site;
  }

  @Override
  public final String describe() {
    return what() + " by " + warp.who(lane) + warp.cta.at(site);
  }

  boolean isOf(Warp w, int thread) {
    return warp == w && lane == thread;
  }
}
