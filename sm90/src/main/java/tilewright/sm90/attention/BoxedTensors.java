package tilewright.sm90.attention;

import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.numerics.ElementType;
import tilewright.sm90.collective.RaggedRows;

/**
 * Attention's tensors as boxes are copied from and to them; {@link TileCoordinates} says where these begin.
 *
 * @param type of Q, K, V and O
 * @param packed whether sequences lie one after the other, at whose ends boxes stop
 */
public record BoxedTensors(ElementType type, boolean packed) {

  public TensorSpec q() {
    return ragged(new AttentionSpecs(type).q(), "Sq");
  }

  public TensorSpec k() {
    return ragged(new AttentionSpecs(type).k(), "Sk");
  }

  public TensorSpec v() {
    return ragged(new AttentionSpecs(type).v(), "Sk");
  }

  public TensorSpec o() {
    return ragged(new AttentionSpecs(type).o(), "Sq");
  }

  private TensorSpec ragged(TensorSpec dense, String rows) {
    return packed ? RaggedRows.spec(dense, rows) : dense;
  }

  /** Gives a problem's tensors to a launch, in place of the dense ones of {@link AttentionArguments}. */
  public void giveTo(LaunchArguments arguments, AttentionProblem p) {
    if (!packed) return;
    AttentionArguments.tensors(p).forEach((name, tensor) -> arguments.tensor(name,
        RaggedRows.tensor(tensor, name.equals("V") ? 1 : 0, type.bytes())));
  }
}
