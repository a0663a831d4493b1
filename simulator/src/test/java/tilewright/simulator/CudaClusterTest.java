package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** Clusters of CUDA C++, through cooperative groups. */
class CudaClusterTest {
  private static Cuda cuda;

  @BeforeAll
  static void compile() {
    cuda = Cuda.compile("clusters", "-arch=sm_90");
  }

  private static int[] random(int n) {
    return new SplittableRandom(5).ints(n, 0, 1000).toArray();
  }

  @Test
  void blocksAddUpTheirPartsOfASum() {
    int[] in = random(12 * 96);
    for (long seed = 0; seed < 5; seed++) {
      int[] out = new int[3];
      run("cluster_sum", Dim3.of(12), 96, 0, seed, in, out);
      assertArrayEquals(IntStream.range(0, 3)
          .map(c -> IntStream.range(c * 4 * 96, (c + 1) * 4 * 96).map(i -> in[i]).sum()).toArray(), out);
    }
  }

  @Test
  void aHistogramIsSpreadOverTheSharedMemoryOfACluster() {
    int bins = 64;
    int[] in = random(3000);
    int[] expected = new int[bins];
    for (int v : in) expected[v % bins]++;
    for (long seed = 0; seed < 5; seed++) {
      int[] out = new int[bins];
      run("histogram", Dim3.of(2, 4), 64, bins, seed, in, in.length, out, bins);
      assertArrayEquals(expected, out);
    }
  }

  @Test
  void threadsWorkBetweenArrivingAndWaiting() {
    for (long seed = 0; seed < 5; seed++) {
      int[] out = new int[16 * 64];
      run("rotate", Dim3.of(16), 64, 0, seed, out);
      assertArrayEquals(IntStream.range(0, 1024).map(i -> (i / 64 + 7) % 8 * 64 + i % 64).toArray(), out);
    }
  }

  private static void run(String entry, Dim3 grid, int threads, int dynamicShared, long seed, Object... arguments) {
    var result = cuda.execute(entry, grid, Dim3.of(threads), dynamicShared, o -> o.withSeed(seed), arguments);
    Assertions.assertEquals(List.of(), result.findings());
  }
}
