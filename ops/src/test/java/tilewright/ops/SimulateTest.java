package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.NaiveGemm;
import tilewright.kernels.Transpose;
import tilewright.kernels.VectorAdd;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.simulator.Finding;
import tilewright.sm90.Sm90Gemms;

/** Kernels on Java arrays. */
class SimulateTest {

  /** Y = s·X for rows of four in tiles of 32 rows by block index: not by way of {@link VectorAdd}'s tiling. */
  private record Scaled(ElementType type) implements Kernel {
    @Override
    public String name() {
      return "scaled";
    }

    @Override
    public void trace(Scope k) {
      var row = k.block(32).plus(k.blockX().times(32));
      var x = k.global(TensorSpec.of("X", type, "M", "N").fixed("N", 4));
      var y = k.global(TensorSpec.of("Y", type, "M", "N").fixed("N", 4));
      var factor = k.scalar("factor");
      for (int column = 0; column < 4; column++) {
        var at = k.constant(column);
        k.when(y.contains(row, at), () -> y.at(row, at).store(x.at(row, at).load().times(factor)));
      }
    }
  }

  /** Y = X reversed in blocks of 64 by way of shared memory, with or without its barrier. */
  private record Reversed(boolean ordered) implements Kernel {
    @Override
    public String name() {
      return "reversed";
    }

    @Override
    public void trace(Scope k) {
      var i = k.block(64);
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N")).tile(List.of(64), k.blockX());
      var y = k.global(TensorSpec.of("Y", ElementType.F32, "N")).tile(List.of(64), k.blockX());
      var tile = k.shared("tile", ElementType.F32, Layout.parse("64:1"));
      tile.at(i).store(x.at(i).load());
      if (ordered) k.barrier();
      y.at(i).store(tile.at(k.constant(63).minus(i)).load());
    }
  }

  private static float[] count(int n) {
    var numbers = new float[n];
    for (int i = 0; i < n; i++) numbers[i] = i - 100;
    return numbers;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 1024, 3001})
  void aKernelTakesFiveLines(int n) {
    var run = Simulate.kernel(new VectorAdd()).in("X", count(n)).in("Y", count(n)).out("Z", n).run();
    var expected = new float[n];
    for (int i = 0; i < n; i++) expected[i] = 2 * (i - 100);
    assertArrayEquals(expected, run.requireClean().floats("Z"));
  }

  @Test
  void extentsAndGridFollowFromWhatIsGiven() {
    // A is 17×5, B is 33×5: M and N follow from the lengths once K is known.
    var a = IntStream.range(0, 17 * 5).mapToDouble(i -> i % 7 - 3).toArray();
    var b = IntStream.range(0, 33 * 5).mapToDouble(i -> i % 5 - 2).toArray();
    var run = Simulate.kernel(new NaiveGemm(ElementType.BF16)).in("A", a).in("B", b).out("C").extent("K", 5).run();
    var c = run.requireClean().doubles("C");
    assertEquals(17 * 33, c.length);
    for (int m = 0; m < 17; m++) {
      for (int n = 0; n < 33; n++) {
        double sum = 0;
        for (int k = 0; k < 5; k++) sum += a[5 * m + k] * b[5 * n + k];
        assertEquals(sum, c[33 * m + n]);
      }
    }
  }

  @Test
  void aLayoutOtherThanRowsIsSaid() {
    var run = Simulate.kernel(new NaiveGemm(ElementType.F16)).in("A", count(6)).in("B", count(6))
        .layout("A", Layout.parse("(3,2):(1,3)")).layout("B", Layout.parse("(3,2):(2,1)")).out("C").run();
    var c = run.requireClean().floats("C");
    for (int m = 0; m < 3; m++) {
      for (int n = 0; n < 3; n++) {
        assertEquals((m - 100f) * (2 * n - 100) + (m + 3 - 100f) * (2 * n + 1 - 100), c[3 * m + n]);
      }
    }
  }

  @Test
  void numbersAreRoundedToTheTypeAndBitsAreNot() {
    var call = Simulate.kernel(new Scaled(ElementType.BF16)).in("X", new float[] {1.00390625f, 1.01171875f, 3, 4});
    assertArrayEquals(new float[] {2, 2.03125f, 6, 8},
        call.out("Y", 1, 4).scalar("factor", 2).grid(1).run().requireClean().floats("Y"));
    var bits = new short[] {0x3F80, 0x4000, 0x4040, (short) 0x8000};
    var run = Simulate.kernel(new Scaled(ElementType.BF16)).in("X", bits).out("Y", 4).scalar("factor", 1).grid(1).run();
    assertArrayEquals(new float[] {1, 2, 3, -0f}, run.floats("Y"));
    assertArrayEquals(run.bytes("X"), run.bytes("Y"));
  }

  @Test
  void anOutputThatIsNotWrittenIsNaN() {
    // Two blocks cover 64 rows of 65.
    var run = Simulate.kernel(new Scaled(ElementType.F32)).in("X", new float[260]).out("Y").scalar("factor", 1).grid(2)
        .run();
    var y = run.requireClean().floats("Y");
    for (int i = 0; i < y.length; i++) assertEquals(i < 256 ? 0 : Float.NaN, y[i], "element " + i);
  }

  @Test
  void theMissingBarrierIsTheOneFinding() {
    var clean = Simulate.kernel(new Reversed(true)).in("X", count(128)).out("Y", 128).run().requireClean();
    assertEquals(-100 + 63, clean.floats("Y")[0]);
    var run = Simulate.kernel(new Reversed(false)).in("X", count(128)).out("Y", 128).run();
    assertEquals(List.of(Finding.Kind.RACE), run.findings().stream().map(Finding::kind).toList());
    var report = assertThrows(AssertionError.class, run::requireClean).getMessage();
    assertTrue(report.startsWith("kernel reversed on the simulator: 1 finding\n\nRACE at SimulateTest.java:"), report);
    assertTrue(report.contains(" of shared tensor tile"), report);
    assertTrue(report.contains("likely fix: put k.barrier() between SimulateTest.java:"), report);
    var unwatched = Simulate.kernel(new Reversed(false)).in("X", count(128)).out("Y", 128).sanitize(false).run();
    assertEquals("kernel reversed on the simulator: no findings", unwatched.report());
  }

  @Test
  void aLibrarysLaunchTakesArraysToo() {
    var run = Simulate.launch(Transpose.prepare(3, 40)).in("X", count(120)).out("Y").run();
    var y = run.requireClean().floats("Y");
    for (int i = 0; i < 120; i++) assertEquals(i - 100, y[i % 40 * 3 + i / 40]);
    assertRefused("a prepared launch has its grid",
        Simulate.launch(Transpose.prepare(3, 40)).in("X", count(120)).out("Y").grid(1));
    var product = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 8, 8, 8, 1, "TN");
    assertRefused("tensor C of sm90_gemm_bf16_bf16_tn has a tensor map, which does not say how many elements",
        Simulate.launch(Sm90Gemms.prepare(product)).in("A", count(64)).in("B", count(64)).out("C"));
  }

  @Test
  void whatIsMissingOrDoesNotFitIsNamed() {
    var add = new VectorAdd();
    assertRefused("kernel vector_add needs tensor Y: give it by in(\"Y\", …) or out(\"Y\", …)",
        Simulate.kernel(add).in("X", count(8)).out("Z"));
    assertRefused("kernel vector_add has no tensor 'W': it has X[N] of f32, Y[N] of f32, Z[N] of f32",
        Simulate.kernel(add).in("W", count(8)));
    assertRefused("extent N is 7 by tensor Y, but 8 by another",
        Simulate.kernel(add).in("X", count(8)).in("Y", count(7)).out("Z"));
    assertRefused("the extents [M, K] of tensor A[M, K] are not known: say in(\"A\", array, M, K)",
        Simulate.kernel(new NaiveGemm(ElementType.F16)).in("A", count(8)).in("B", count(8)).out("C"));
    assertRefused("the grid of kernel scaled does not follow from its tiles", Simulate.kernel(
        new Scaled(ElementType.F32)).in("X", count(8)).out("Y").scalar("factor", 1));
    assertRefused("kernel scaled needs a value for 'factor'",
        Simulate.kernel(new Scaled(ElementType.F32)).in("X", count(8)).out("Y").grid(1));
    assertRefused("kernel scaled has no parameter 'alpha': it has [factor]",
        Simulate.kernel(new Scaled(ElementType.F32)).in("X", count(8)).out("Y").scalar("alpha", 1));
    assertRefused("tensor X[M, N] of 9 elements: no whole number of them is M where the other extents make 4",
        Simulate.kernel(new Scaled(ElementType.F32)).in("X", count(9)).out("Y").scalar("factor", 1));
    assertRefused("tensor X is of f32: give its 32-bit elements as a float[] of numbers, not as 16-bit integers",
        Simulate.kernel(add).in("X", new short[8]).in("Y", count(8)).out("Z"));
    var twice = assertThrows(IllegalArgumentException.class,
        () -> Simulate.kernel(add).in("X", count(8)).out("X"));
    assertEquals("tensor X is given twice", twice.getMessage());
    var run = Simulate.kernel(add).in("X", count(8)).in("Y", count(8)).out("Z").run();
    assertEquals("kernel vector_add has no tensor 'W': it has [X, Y, Z]",
        assertThrows(IllegalArgumentException.class, () -> run.floats("W")).getMessage());
  }

  private static void assertRefused(String reason, KernelCall call) {
    var message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
    assertTrue(message.contains(reason), message);
  }
}
