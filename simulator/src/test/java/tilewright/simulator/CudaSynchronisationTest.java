package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** How CUDA programs hand data over: the sanitizer trusts each correct way, and misses none that lacks its fence. */
class CudaSynchronisationTest {
  private static Cuda cuda;

  @BeforeAll
  static void compile() {
    cuda = Cuda.compile("synchronisation");
  }

  private static void requireRace(String entry, int grid, int block, Object... arguments) {
    var result = cuda.execute(entry, Dim3.of(grid), Dim3.of(block), 0, o -> o.withThreads(1), arguments);
    assertTrue(result.findings().stream().anyMatch(f -> f.kind() == Finding.Kind.RACE), result.findings().toString());
  }

  private static int[] numbers(int count) {
    return IntStream.range(0, count).toArray();
  }

  @Test
  void theLastBlockAddsWhatTheOthersPublished() {
    int[] out = new int[1];
    cuda.run("lastBlock", 6, 64, numbers(384), new int[6], new int[1], out);
    assertEquals(384 * 383 / 2, out[0]);
    requireRace("lastBlockFaulty", 6, 64, numbers(384), new int[6], new int[1], out);
  }

  @Test
  void aLockWithFencesOrdersItsOwners() {
    int[] sum = new int[1];
    cuda.run("spinLock", 8, 32, new int[1], sum);
    assertEquals(28, sum[0]);
    requireRace("spinLockFaulty", 8, 32, new int[1], sum);
  }

  @Test
  void blocksThatMeetSeeEachOthersValues() {
    int[] out = new int[4 * 64];
    cuda.run("gridBarrier", 4, 64, new int[4 * 64], new int[1], out);
    assertArrayEquals(IntStream.range(0, 256).map(t -> (t + 64) % 256).toArray(), out);
  }

  @Test
  void lanesNeedSyncwarpBetweenThem() {
    int[] out = new int[1];
    cuda.run("warpReduce", 1, 64, numbers(64), out);
    assertEquals(64 * 63 / 2, out[0]);
    requireRace("warpReduceFaulty", 1, 64, numbers(64), out);
  }

  @Test
  void shufflesOfAWarpThatIsNotFullAreClean() {
    int[] out = new int[40];
    cuda.run("shuffles", 1, 40, numbers(40), out, 40);
    int[] expected = numbers(40);
    Arrays.parallelPrefix(expected, 0, 32, Integer::sum);
    Arrays.parallelPrefix(expected, 32, 40, Integer::sum);
    assertArrayEquals(expected, out);
  }

  @Test
  void aPipelineMayNotOverwriteWhatIsBeingRead() {
    int[] out = new int[64];
    cuda.run("pipeline", 1, 64, numbers(64 * 5), out, 5);
    assertArrayEquals(IntStream.range(0, 64).map(t -> 5 * (63 - t) + 64 * 10).toArray(), out);
    requireRace("pipelineFaulty", 1, 64, numbers(64 * 5), out, 5);
  }

  @Test
  void memoryFromMallocMustBeWrittenBeforeItIsRead() {
    var findings = cuda.execute("heapUnwritten", Dim3.ONE, Dim3.of(1), 0, o -> o, new int[1]).findings();
    assertEquals(1, findings.size(), findings.toString());
    assertEquals(Finding.Kind.UNINITIALIZED_READ, findings.getFirst().kind());
    assertTrue(findings.getFirst().message().contains("allocation 0 of the device heap"), findings.toString());
  }
}
