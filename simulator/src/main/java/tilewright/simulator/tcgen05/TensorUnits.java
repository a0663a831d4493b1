package tilewright.simulator.tcgen05;

import tilewright.simulator.core.Cta;
import tilewright.simulator.tensorcore.TensorTile;

/** The units of a CTA for {@code tcgen05}. Every {@link Cta} that runs has them. */
public interface TensorUnits {
  static TensorUnits of(Cta cta) {
    return (TensorUnits) cta;
  }

  TensorMemory tensorMemory();

  /** The watch over Tensor Memory; null when the launch is not sanitized. */
  TensorWatch tensorWatch();

  TensorTransfer transfer();

  TensorMma tensorMma();

  TensorTile tile();
}
