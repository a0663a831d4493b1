package tilewright.simulator.machine;

import tilewright.simulator.core.LaunchState;
import tilewright.simulator.mma.MmaUnit;
import tilewright.simulator.mma.TensorCores;
import tilewright.simulator.mma.WmmaTransfer;
import tilewright.simulator.tcgen05.TensorMma;
import tilewright.simulator.tcgen05.TensorTransfer;
import tilewright.simulator.tensorcore.TensorTile;

/** The parts of a CTA that tensor-core instructions use: large, and so made when the first of them is executed. */
final class TensorParts {
  final TensorTile tile;
  final TensorCores tensorCores;
  final MmaUnit mma;
  final WmmaTransfer wmma = new WmmaTransfer();
  final TensorTransfer transfer = new TensorTransfer();
  final TensorMma tensorMma = new TensorMma();

  TensorParts(LaunchState state) {
    tile = new TensorTile(state.adder);
    tensorCores = new TensorCores(tile, state.architecture);
    mma = new MmaUnit(tile, state.architecture);
  }
}
