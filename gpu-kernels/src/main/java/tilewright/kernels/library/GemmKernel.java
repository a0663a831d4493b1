package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Timing;

/** A kernel that computes C = f(A·Bᵀ) for matrices of any strides: what {@code run gemm} chooses from. */
public interface GemmKernel extends KernelDescription {

  /**
   * Traces the kernel in the configuration that fits a problem.
   *
   * @throws IllegalArgumentException when it cannot compute the problem, or has no such epilogue
   */
  PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue);

  /** Why it cannot compute a problem with its own epilogue, if it cannot. */
  default Optional<String> refusal(GemmProblem problem) {
    return Optional.empty();
  }

  @Override
  default Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, request -> GemmTimings.problems(this, request,
        GemmTimings.types(request), p -> List.of(new GemmTimings.Configured(p.types(),
            () -> prepare(p, EpilogueArguments.plain(p)))))));
  }

  /** Whether it stores anything else than the product as it is. */
  default boolean hasEpilogues() {
    return true;
  }
}
