package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** CUDA C++ with tensor maps, as nvcc compiles it. */
class CudaTmaTest {
  private static final int ROWS = 16;
  private static final int COLUMNS = 64;

  @Test
  void tilesAreLoadedAndStoredThroughTwoStages() {
    var cuda = Cuda.compile("tma", "-arch=sm_90a");
    int blocks = 3;
    int tiles = 5;
    // The last tile of the last block is cut off by the matrix's end.
    int rows = blocks * tiles * ROWS - 7;
    var view = TensorView.of(TensorElement.F32, List.of((long) COLUMNS, (long) rows), List.of(4L * COLUMNS));
    var map = new TensorMap.Tiled(view, List.of(COLUMNS, ROWS));
    for (long seed = 0; seed < 5; seed++) {
      var from = new float[rows * COLUMNS];
      for (int i = 0; i < from.length; i++) from[i] = i - 1000;
      var to = new float[from.length];
      long chosen = seed;
      var result = cuda.execute("doubled", Dim3.of(blocks), Dim3.of(128), 0, o -> o.withSeed(chosen),
          new Cuda.Tensor(from, map), new Cuda.Tensor(to, map), tiles);
      assertEquals(List.of(), result.findings());
      for (int i = 0; i < to.length; i++) assertEquals(2f * (i - 1000), to[i], "element " + i + ", seed " + seed);
    }
  }
}
