package tilewright.kernels.library;

import java.util.List;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;

/** A GEMM kernel whose tile can be chosen by name: what {@code tune} has measured, {@code run gemm} takes. */
public interface TiledGemmKernel extends GemmKernel {

  /** The tiles that a problem can have, those first that should be fastest. */
  List<String> tiles(GemmProblem problem);

  /** @throws IllegalArgumentException when the problem cannot have this tile */
  PreparedLaunch prepare(GemmProblem problem, String tile);
}
