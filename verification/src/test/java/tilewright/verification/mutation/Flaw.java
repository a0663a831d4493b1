package tilewright.verification.mutation;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import tilewright.ptx.PtxModule;

/** One kind of mistake in a kernel's synchronisation or bounds, of which a kernel has as many mutants as places. */
enum Flaw {
  MISSING_BARRIER(Mutations::withoutABarrier),
  MISSING_SIGNAL(Mutations::withoutASignal),
  /** A commit, fence, wait or release of work on Tensor Memory. */
  MISSING_TENSOR_SIGNAL(Mutations::withoutATensorSignal),
  /** A signal that the other SM of a pair misses. */
  NARROWER_SIGNAL(Mutations::withANarrowerSignal),
  EARLIER_WAIT(Mutations::withAnEarlierWait),
  /** A wait for {@code cp.async} copies that lets one more group be pending. */
  WEAKER_WAIT(Mutations::withAWeakerWait),
  /** Between CTAs, in global memory. */
  WEAKER_FLAG(Mutations::withAWeakerFlag),
  /** A wait for the stream's earlier kernels that is missing or comes too late. */
  LATE_GRID_WAIT(Mutations::withALateGridWait),
  FROZEN_PHASE(Mutations::withAFrozenPhase),
  OTHER_ARRIVALS(Mutations::withOtherArrivals),
  OTHER_BYTES(Mutations::withOtherBytes),
  LOOSER_BOUND(Mutations::withALooserBound);

  private final Function<PtxModule, List<Mutant>> mutations;

  Flaw(Function<PtxModule, List<Mutant>> mutations) {
    this.mutations = mutations;
  }

  List<Mutant> in(PtxModule module) {
    return mutations.apply(module);
  }

  /** The name in words, such as {@code missing barrier}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
