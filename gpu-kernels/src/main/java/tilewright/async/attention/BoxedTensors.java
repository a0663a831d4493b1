package tilewright.async.attention;

import java.util.List;
import java.util.Map;
import tilewright.async.collective.RaggedRows;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.ValueOrder;
import tilewright.numerics.ElementType;

/**
 * Attention's tensors as boxes are copied from and to them; {@link TileCoordinates} says where these begin.
 *
 * <p>Boxes of packed sequences stop where a sequence does, except those of a column-major V, which P = 0 multiplies
 * where it belongs to other sequences: it must be finite.
 *
 * @param type of Q, K, V and their gradients
 * @param output type of O
 * @param packed whether sequences lie one after the other, at whose ends boxes stop
 * @param packing whose heads come before queries in boxes of Q and O
 * @param values the order of V
 * @param raggedKeys whether boxes of K and V stop at a sequence's last key
 */
public record BoxedTensors(ElementType type, ElementType output, boolean packed, HeadPacking packing,
    ValueOrder values, boolean raggedKeys) {
  private static final int ROWS = 0;
  private static final int HEADS = 2;

  /** Creates the tensors of tiles in which each query has one row. */
  public BoxedTensors(ElementType type, boolean packed) {
    this(type, type, packed, HeadPacking.NONE, ValueOrder.ROW_MAJOR);
  }

  /** Creates the tensors of sequences whose keys lie as their queries do. */
  public BoxedTensors(ElementType type, ElementType output, boolean packed, HeadPacking packing, ValueOrder values) {
    this(type, output, packed, packing, values, packed);
  }

  public TensorSpec q() {
    return queries(new AttentionSpecs(type).q());
  }

  public TensorSpec k() {
    return raggedKeys(new AttentionSpecs(type).k());
  }

  public TensorSpec v() {
    var dense = new AttentionSpecs(type).v(values);
    return values == ValueOrder.COLUMN_MAJOR ? dense : raggedKeys(dense);
  }

  public TensorSpec o() {
    return queries(new AttentionSpecs(type, output).o());
  }

  public TensorSpec dO() {
    return queries(new AttentionSpecs(type).dO());
  }

  public TensorSpec dK() {
    return ragged(new AttentionSpecs(type).dK(), "Sk");
  }

  public TensorSpec dV() {
    return ragged(new AttentionSpecs(type).dV(), "Sk");
  }

  /** How many queries a tile of fixed length's tensor has. */
  public I32 queries(TensorTile q) {
    return q.extent(isPacked() ? HEADS : ROWS);
  }

  private boolean isPacked() {
    return packing.packs();
  }

  private TensorSpec queries(TensorSpec dense) {
    if (!isPacked()) return ragged(dense, "Sq");
    var columns = dense.contiguous().orElseThrow();
    return packed ? ragged(like(dense, "H", columns, "Sq", "B"), "Sq")
        : like(dense, "Sharers", columns, "Sq", "Hk", "B");
  }

  private static TensorSpec like(TensorSpec dense, String... modes) {
    return TensorSpec.of(dense.name(), dense.type(), modes).contiguous(modes[1]).aligned(dense.alignment());
  }

  private TensorSpec raggedKeys(TensorSpec dense) {
    return raggedKeys ? RaggedRows.spec(dense, "Sk") : dense;
  }

  private TensorSpec ragged(TensorSpec dense, String rows) {
    return packed ? RaggedRows.spec(dense, rows) : dense;
  }

  /** Gives a problem's tensors to a launch, in place of the dense ones of {@link AttentionArguments}. */
  public void giveTo(LaunchArguments arguments, AttentionProblem p) {
    giveTo(arguments, AttentionArguments.tensors(p));
  }

  /** Gives tensors to a launch by their names: those of the forward pass, or dQ, dK, dV and dO. */
  public void giveTo(LaunchArguments arguments, Map<String, LaunchArguments.Tensor> tensors) {
    tensors.forEach((name, tensor) -> {
      boolean ofQueries = isPacked() && (name.endsWith("Q") || name.endsWith("O"));
      var given = ofQueries ? headsFirst(tensor) : tensor;
      int rows = name.endsWith("V") ? 1 : ofQueries ? HEADS : ROWS;
      boolean byColumns = name.equals("V") && values == ValueOrder.COLUMN_MAJOR;
      boolean ragged = name.equals("K") || name.equals("V") ? raggedKeys : packed;
      arguments.tensor(name, ragged && !byColumns ? RaggedRows.tensor(given, rows, bytes(name)) : given);
    });
  }

  private int bytes(String name) {
    return name.equals("O") ? output.bytes() : type.bytes();
  }

  /** Heads before queries; of fixed lengths only those of a head of keys, of which boxes have no more. */
  private LaunchArguments.Tensor headsFirst(LaunchArguments.Tensor dense) {
    var e = dense.extents();
    var s = dense.strides();
    long sharers = packing.heads();
    return packed ? new LaunchArguments.Tensor(dense.buffer(), dense.offset(),
            List.of(e.get(HEADS), e.get(1), e.get(ROWS), e.get(3)),
            List.of(s.get(HEADS), s.get(1), s.get(ROWS), s.get(3)))
        : new LaunchArguments.Tensor(dense.buffer(), dense.offset(),
            List.of(sharers, e.get(1), e.get(ROWS), e.get(HEADS) / sharers, e.get(3)),
            List.of(s.get(HEADS), s.get(1), s.get(ROWS), s.get(HEADS) * sharers, s.get(3)));
  }
}
