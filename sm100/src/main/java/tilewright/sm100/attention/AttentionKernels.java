package tilewright.sm100.attention;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.sm90.attention.HopperAttention;

/** Every kernel of attention, those of the newest architecture first: what {@code Attention} chooses from. */
public final class AttentionKernels {
  private static final int SM80 = 80;
  private static final int SM90 = 90;
  private static final int SM100 = 100;

  private AttentionKernels() {}

  public static List<AttentionKernel> all() {
    return List.of(new BlackwellAttention(), new HopperAttention(), new Sm80AttentionKernel());
  }

  /**
   * The kernels that a GPU runs, the one of its own architecture first.
   *
   * @param capability its compute capability times ten, such as 90
   * @throws IllegalArgumentException for a GPU before SM80
   */
  public static List<AttentionKernel> of(int capability) {
    if (capability < SM80) {
      throw new IllegalArgumentException("no attention for sm" + capability + ": sm80 or later");
    }
    var ofItsOwn = switch (capability) {
      case SM100 -> Stream.of(new BlackwellAttention());
      case SM90 -> Stream.of(new HopperAttention());
      default -> Stream.<AttentionKernel>of();
    };
    return Stream.<AttentionKernel>concat(ofItsOwn, Stream.of(new Sm80AttentionKernel())).toList();
  }
}
