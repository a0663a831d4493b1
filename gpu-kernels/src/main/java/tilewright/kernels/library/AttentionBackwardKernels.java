package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernels.attention.AttentionBackwardKernel;

/**
 * The kernels of attention's gradients that {@code AttentionBackward} chooses from, those of the newest architecture
 * first.
 *
 * @param forward the kernels whose gradients they compute
 */
public record AttentionBackwardKernels(AttentionKernels forward) {

  /** Tilewright's own. */
  public static AttentionBackwardKernels builtIn() {
    return new AttentionBackwardKernels(AttentionKernels.builtIn());
  }

  public List<AttentionBackwardKernel> all() {
    return kernels(forward);
  }

  /**
   * The kernels that a GPU runs, the one of its own architecture first.
   *
   * @param capability its compute capability times ten, such as 90
   * @throws IllegalArgumentException for a GPU before SM80
   */
  public List<AttentionBackwardKernel> of(int capability) {
    return kernels(forward.runningOn(capability));
  }

  private static List<AttentionBackwardKernel> kernels(AttentionKernels described) {
    return described.described().stream().map(AttentionDescription::backward).flatMap(Optional::stream).toList();
  }
}
