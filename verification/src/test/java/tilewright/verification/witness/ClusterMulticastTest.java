package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;

/** A product whose factors are multicast along the rows and columns of clusters, with tails in all three extents. */
class ClusterMulticastTest {
  private static final int SIDE = 32;
  private static final int DEPTH = 16;
  private static final int M = 2 * SIDE + 27;
  private static final int N = 2 * SIDE - 4;
  private static final int K = 5 * DEPTH - 4;

  static Witness product() {
    var a = Floats.mixed(M * K, 1);
    var b = Floats.mixed(K * N, 2);
    var grid = new Dim3(2 * Math.ceilDiv(N, 2 * SIDE), 2 * Math.ceilDiv(M, 2 * SIDE), 1);
    var launch = new Launch(Witness.ptx("cluster_multicast"), "multiply", grid, Dim3.of(128), new Dim3(2, 2, 1), 0,
        Map.of("a", MemorySegment.ofArray(a), "b", MemorySegment.ofArray(b),
            "c", MemorySegment.ofArray(new float[M * N])),
        List.of(Maps.matrix("a", TensorElement.F32, K, M, DEPTH, SIDE / 2),
            Maps.matrix("b", TensorElement.F32, N, K, SIDE, DEPTH / 2), new Argument.Buffer("c"), Argument.u32(M),
            Argument.u32(N), Argument.u32(K)));
    var c = new float[M * N];
    for (int i = 0; i < c.length; i++) {
      for (int k = 0; k < K; k++) c[i] = Math.fma(a[i / N * K + k], b[k * N + i % N], c[i]);
    }
    return new Witness(launch, Map.of("c", MemorySegment.ofArray(c)));
  }

  @Test
  void halvesFromEachBlockMakeUpTheTilesOfTwo() {
    product().underSeeds(30);
  }

  @Test
  void anH200LeftTheseBits() {
    product().wasRecorded("cluster_multicast");
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    product().onGpu(90);
  }
}
