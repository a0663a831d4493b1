package tilewright.kernels.library;

import java.util.Comparator;
import java.util.List;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.registry.KernelRegistry;

/**
 * The kernels of attention's gradients that {@code AttentionBackward} chooses from, those of the newest architecture
 * first.
 *
 * @param described every one that a registry has
 */
public record AttentionBackwardKernels(List<AttentionBackwardDescription> described) {
  public AttentionBackwardKernels {
    described = described.stream()
        .sorted(Comparator.comparing((AttentionBackwardDescription d) -> -d.target().capability())).toList();
  }

  /** Tilewright's own. */
  public static AttentionBackwardKernels builtIn() {
    return among(KernelRegistry.builtIn());
  }

  /** A registry's own, a user's among them. */
  public static AttentionBackwardKernels among(KernelRegistry registry) {
    return new AttentionBackwardKernels(registry.kernels().stream()
        .filter(AttentionBackwardDescription.class::isInstance).map(AttentionBackwardDescription.class::cast).toList());
  }

  public List<AttentionBackwardKernel> all() {
    return described.stream().map(AttentionBackwardDescription::kernel).toList();
  }

  /**
   * The kernels that a GPU runs, the one of its own architecture first.
   *
   * @param capability its compute capability times ten, such as 90
   * @throws IllegalArgumentException for a GPU before SM80
   */
  public List<AttentionBackwardKernel> of(int capability) {
    AttentionKernels.requireSupported(capability);
    return new AttentionBackwardKernels(described.stream().filter(d -> d.target().runsOn(capability)).toList())
        .all().stream().map(kernel -> kernel.on(capability)).toList();
  }
}
