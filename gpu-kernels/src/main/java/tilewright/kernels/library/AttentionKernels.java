package tilewright.kernels.library;

import java.util.Comparator;
import java.util.List;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.registry.KernelRegistry;

/**
 * The kernels of attention that {@code Attention} chooses from, those of the newest architecture first, and of an
 * architecture those of latent attention, which compute nothing else.
 *
 * @param described every one that a registry has
 */
public record AttentionKernels(List<AttentionDescription> described) {
  private static final int SM80 = 80;

  public AttentionKernels {
    described = described.stream().sorted(Comparator.comparing((AttentionDescription d) -> -d.target().capability())
        .thenComparing(d -> !(d instanceof LatentAttentionDescription))).toList();
  }

  /** Tilewright's own. */
  public static AttentionKernels builtIn() {
    return among(KernelRegistry.builtIn());
  }

  /** A registry's own, a user's among them. */
  public static AttentionKernels among(KernelRegistry registry) {
    return new AttentionKernels(registry.kernels().stream().filter(AttentionDescription.class::isInstance)
        .map(AttentionDescription.class::cast).toList());
  }

  public List<AttentionKernel> all() {
    return described.stream().map(AttentionDescription::kernel).toList();
  }

  /** Every one, in the tiles that the shared memory of a GPU of this compute capability, times ten, allows. */
  public List<AttentionKernel> allOn(int capability) {
    return all().stream().map(kernel -> kernel.on(capability)).toList();
  }

  /**
   * The kernels that a GPU runs, the one of its own architecture first.
   *
   * @param capability its compute capability times ten, such as 90
   * @throws IllegalArgumentException for a GPU before SM80
   */
  public List<AttentionKernel> of(int capability) {
    requireSupported(capability);
    return new AttentionKernels(described.stream().filter(d -> d.target().runsOn(capability)).toList())
        .allOn(capability);
  }

  static void requireSupported(int capability) {
    if (capability < SM80) {
      throw new IllegalArgumentException("no attention for sm" + capability + ": sm80 or later");
    }
  }
}
