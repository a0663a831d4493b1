package tilewright.kernels.attention.merging;

import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch.Scratch;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * What splits of the keys leave for {@link StateMerge}: each its O, divided by its own sum of exponentials, and the
 * logarithm of that sum, in FP32. Where a split has no keys the logarithm is −∞, and its O is not written.
 *
 * @param splits of a row
 */
public record PartialStates(AttentionProblem.Sizes sizes, int splits) {
  private static final String O = "partialO";
  private static final String LSE = "partialLSE";
  /** Numbers of FP32 in an access. */
  static final int VECTOR = 4;

  /** (Dv, queries, heads, batch, splits). */
  public static TensorSpec o() {
    return TensorSpec.of(O, ElementType.F32, "Dv", "Sq", "H", "B", "Splits").contiguous("Dv").aligned(VECTOR);
  }

  /** (queries, heads, batch, splits). */
  public static TensorSpec lse() {
    return TensorSpec.of(LSE, ElementType.F32, "Sq", "H", "B", "Splits");
  }

  /** The buffers, which the launches share. */
  public List<Scratch> workspace() {
    return List.of(new Scratch(O, ElementType.F32, Layout.columnMajor(sizes.valueDim(), sizes.queries(), sizes.heads(),
        sizes.batch(), splits)), new Scratch(LSE, ElementType.F32,
        Layout.columnMajor(sizes.queries(), sizes.heads(), sizes.batch(), splits)));
  }

  /** Gives the buffers to a launch. */
  public LaunchArguments addTo(LaunchArguments arguments) {
    workspace().forEach(part -> arguments.tensor(part.name(), part.tensor()));
    return arguments;
  }
}
