package tilewright.sm90.attention.backward;

import java.util.Optional;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The tiles in shared memory.
 *
 * @param logarithms of the queries of each stage of Q (queries, stages): LSE · log₂ e
 * @param sums of the queries of each stage of dO (queries, stages): rowsum(O ∘ dO)
 * @param dS (queries, keys, stages)
 * @param p (queries, keys, stages), where warpgroups share the head dimension
 */
record BackwardTiles(TensorTile key, TensorTile value, TensorTile q, TensorTile dO, SharedTensor logarithms,
    SharedTensor sums, SharedTensor dS, Optional<SharedTensor> p, TensorTile dK, TensorTile dV) {

  static BackwardTiles of(Scope k, Sm90BackwardConfig config) {
    var shape = config.shape();
    var tensors = config.tensors();
    var key = TensorTile.of(k, tensors.k(), config.layoutK());
    var value = TensorTile.of(k, tensors.v(), config.transposedV());
    var numbers = Layout.columnMajor(shape.queries(), shape.stages());
    return new BackwardTiles(key, value, TensorTile.of(k, tensors.q(), config.layoutQ()),
        TensorTile.of(k, tensors.dO(), config.layoutDO()), k.shared(ElementType.F32, numbers),
        k.shared(ElementType.F32, numbers), k.shared(config.type(), config.layoutDS()),
        shape.sharesHeadDim() ? Optional.of(k.shared(config.type(), config.layoutDS())) : Optional.empty(),
        TensorTile.over(k, tensors.dK(), key.shared().under(config.layoutDK())),
        TensorTile.over(k, tensors.dV(), value.shared().under(config.layoutDV())));
  }
}
