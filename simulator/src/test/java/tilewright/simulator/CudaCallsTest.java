package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;

/** Calls that are not inlined and the runtime's own functions, as nvcc compiles them. */
class CudaCallsTest {
  private static Cuda cuda;

  @BeforeAll
  static void compile() {
    cuda = Cuda.compile("calls");
  }

  private static int[] threads(int n, IntUnaryOperator f) {
    return IntStream.range(0, n).map(f).toArray();
  }

  @Test
  void virtualFunctionsOfDynamicallyAllocatedObjects() {
    float[] out = new float[64];
    cuda.run("areas", 1, 64, (Object) out);
    for (int t = 0; t < 64; t++) assertEquals(t % 3 == 0 ? t * t : 3f * t * t, out[t]);
  }

  @Test
  void functionPointersThatDifferByLane() {
    int[] out = new int[48];
    int[] weights = {3, 5, 7, 11};
    cuda.run("pointers", 1, 48, (Object) out);
    assertArrayEquals(threads(48, t -> switch (t % 3) {
      case 0 -> t + weights[t % 4];
      case 1 -> t * weights[t % 4];
      default -> t - weights[t % 4];
    }), out);
  }

  @Test
  void wildFunctionPointersAreReported() {
    var result = cuda.execute("wildPointer", Dim3.ONE, Dim3.of(1), 0, o -> o, new int[1], 0x1234L);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("0x1234"));
  }

  private static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  @Test
  void recursionWithADepthOfItsOwnInEachLane() {
    int[] out = new int[16];
    cuda.run("fibonaccis", 1, 16, (Object) out);
    assertArrayEquals(threads(16, CudaCallsTest::fibonacci), out);
  }

  @Test
  void mutualRecursion() {
    int[] out = new int[33];
    cuda.run("parities", 1, 33, (Object) out);
    assertArrayEquals(threads(33, t -> 1 - t % 2), out);
  }

  private static int walk(int n, int[] memory, int sum) {
    int[] local = {n, n + 1, n + 2, n + 3};
    if (n == 0) return memory[sum];
    memory[sum] += local[n & 3];
    int deeper = walk(n - 1, local, 1);
    return deeper + local[1] + memory[sum];
  }

  @Test
  void recursiveFunctionsKeepTheirLocalArrays() {
    int[] out = new int[24];
    cuda.run("walks", 1, 24, (Object) out);
    assertArrayEquals(threads(24, t -> {
      int[] sum = {5};
      return walk(t, sum, 0) + sum[0];
    }), out);
  }

  @Test
  void recursiveQuicksort() {
    int n = 50;
    int[] a = new Random(1).ints(8 * n, 0, 1000).toArray();
    int[] want = a.clone();
    for (int t = 0; t < 8; t++) Arrays.sort(want, t * n, t * n + n);
    cuda.run("quicksorts", 1, 8, a, n);
    assertArrayEquals(want, a);
  }

  @Test
  void endlessRecursionOverflowsTheStack() {
    var result = cuda.execute("overflows", Dim3.ONE, Dim3.of(1), 0, o -> o, (Object) new int[1]);
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("overflows its stack"));
  }

  @Test
  void structuresByValue() {
    int[] out = new int[320];
    cuda.run("structs", 1, 32, (Object) out);
    assertArrayEquals(threads(320, i -> (i % 10 + i / 10) % 10 * (i / 10)), out);
  }

  @Test
  void arraysOnTheStack() {
    int[] out = new int[40];
    cuda.run("arrays", 1, 40, out, 7);
    assertArrayEquals(threads(40, t -> t % 7 * (t % 7)), out);
  }

  @Test
  void printedTextComesInTheOrderOfBlocksAndThreads() {
    var text = new StringBuilder();
    cuda.execute("prints", Dim3.of(3), Dim3.of(32), 0, o -> o.withOutput(text::append), 2, 2.5f);
    var line = "thread %d of block:  2.50|ff    |z|1099511627776|+5.000e-01|-0042|%%\n";
    assertEquals((line.formatted(0) + line.formatted(1)).repeat(3), text.toString());
  }

  @Test
  void failedAssertionsSayWhatWhereAndWho() {
    var result = cuda.execute("asserts", Dim3.of(2), Dim3.of(32), 0, o -> o.withThreads(1), 10);
    assertEquals(List.of(Finding.Kind.ASSERTION), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.matches(".*calls\\.cu:\\d+: void asserts\\(int\\): thread \\(10,0,0\\) of block \\(0,0,0\\): "
        + "assertion `threadIdx\\.x < n` failed"), message);
    assertEquals(new Dim3(10, 0, 0), result.findings().getFirst().thread());
    cuda.run("asserts", 2, 32, 32);
  }

  @Test
  void everyThreadAllocatesFromTheHeap() {
    int[] out = new int[64];
    cuda.run("heap", 1, 64, out, 10);
    assertArrayEquals(threads(64, t -> 45 + 10 * t), out);
  }

  @ParameterizedTest
  @CsvSource({"heapOverrun,OUT_OF_BOUNDS,offset 40", "usedAfterFree,OUT_OF_BOUNDS,which was freed",
      "freedTwice,INVALID_OPERATION,freed before"})
  void misuseOfTheHeapIsReported(String entry, Finding.Kind kind, String part) {
    Object[] arguments = switch (entry) {
      case "heapOverrun" -> new Object[] {new int[1], 10};
      case "usedAfterFree" -> new Object[] {new int[1]};
      default -> new Object[0];
    };
    var result = cuda.execute(entry, Dim3.ONE, Dim3.of(1), 0, o -> o.withSanitizer(false), arguments);
    assertEquals(List.of(kind), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains(part), message);
  }

  @Test
  void mallocGivesNullWhenTheHeapIsExhausted() {
    int[] out = new int[1];
    cuda.run("exhausted", 1, 1, (Object) out);
    assertEquals(8, out[0]);
  }
}
