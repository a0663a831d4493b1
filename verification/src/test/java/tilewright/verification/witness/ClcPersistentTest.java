package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;

/** Clusters that cancel the launch of others and do their tiles, until none is left: every tile once. */
class ClcPersistentTest {
  private static final int COLUMNS = 5 * 32 + 20;
  private static final int ROWS = 6 * 16 + 3;

  static Witness doubled() {
    var grid = new Dim3(Math.ceilDiv(COLUMNS, 64) * 2, Math.ceilDiv(ROWS, 16), 1);
    var from = Floats.mixed(COLUMNS * ROWS, 3);
    var visits = new int[(int) grid.size()];
    var launch = new Launch(Witness.ptx("clc_persistent"), "doubled", grid, Dim3.of(64), Dim3.of(2), 0,
        Map.of("from", MemorySegment.ofArray(from), "to", MemorySegment.ofArray(new float[from.length]),
            "visits", MemorySegment.ofArray(visits.clone())),
        List.of(Maps.matrix("from", TensorElement.F32, COLUMNS, ROWS, 32, 16),
            Maps.matrix("to", TensorElement.F32, COLUMNS, ROWS, 32, 16), new Argument.Buffer("visits")));
    var to = new float[from.length];
    for (int i = 0; i < to.length; i++) to[i] = 2 * from[i];
    Arrays.fill(visits, 1);
    return new Witness(launch, Map.of("to", MemorySegment.ofArray(to), "visits", MemorySegment.ofArray(visits)));
  }

  @Test
  void everyTileIsDoneOnce() {
    doubled().underSeeds(100);
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    doubled().onGpu(100);
  }
}
