package tilewright.kernels.attention.quantization;

import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;

/**
 * Raises "Amax" (B,H), FP32 numbers that were zero, to the largest finite magnitudes of each head of "X" (B,S,H,D)
 * after its {@link RowTransform}, whose normalisation is left to the factors. It is the first of two launches where
 * all rows of a head share a factor: {@link RowQuantizer} and {@link TransposedQuantizer} with {@link Scaling#HEAD}
 * read them. Strides of 0 in Amax give one maximum, and one factor, for all heads or batch entries.
 */
public record HeadMaximum(RowTransform transform) implements Kernel {

  @Override
  public String name() {
    return "head_maximum_" + transform.text();
  }

  /** Prepares a launch on tensors by name: X, Amax; with a rotation C and T; with a Hadamard transform Signs. */
  public PreparedLaunch on(Map<String, LaunchArguments.Tensor> tensors) {
    return RowQuantizer.launch(CompiledKernel.compile(this, RowQuantizer.TARGET), tensors, transform.rows());
  }

  @Override
  public void trace(Scope k) {
    int threads = transform.threads();
    var thread = k.block(threads);
    var tile = BlockFactor.Tile.of(k);
    var rows = TransformedRows.read(k, transform, thread, tile.batch(), tile.block(), tile.head());
    var largest = BlockFactor.ofBlock(k, thread, threads, rows.magnitudes().largest());
    var place = k.global(BlockFactor.maxima()).at(tile.batch(), tile.head());
    k.when(thread.equalTo(0).and(place.inside()), () -> place.atomicMax(largest));
  }
}
