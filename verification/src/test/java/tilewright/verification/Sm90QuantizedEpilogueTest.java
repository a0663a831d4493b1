package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.BlockQuantizer;
import tilewright.kernels.gemm.Gemm;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.EpilogueCases;

/** A GEMM whose epilogue quantises C: the bits of a GEMM and the quantiser behind it. */
class Sm90QuantizedEpilogueTest {
  private static final Epilogue PRODUCT = Epilogue.accumulator().times(Epilogue.scalar("alpha"));
  private static final String TILE = "128x128x1";

  private static GemmProblem problem(ElementType output, int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, output, m, n, k, 1, "TN").scaled(0.5f, 0);
  }

  /** Rows of zeros, of tiny numbers, and with infinities and NaN; columns in whole 16 bytes, and not. */
  @ParameterizedTest
  @CsvSource({"131, 128x128x1", "264, 128x256x1"})
  void hasTheBitsOfTheQuantiserBehindIt(int n, String tile) {
    int m = 70;
    int k = 40;
    var inputs = Map.of("A", special(m, k), "B", Buffers.normal(ElementType.BF16, (long) n * k, 2));
    var rounded = problem(ElementType.BF16, m, n, k);
    var c = run(Sm90Gemms.prepare(rounded, Sm90Gemms.configure(rounded, tile)), inputs,
        Map.of("C", Buffers.poisoned(ElementType.BF16, (long) m * n))).get("C");
    var problem = problem(ElementType.E4M3, m, n, k);
    var epilogue = EpilogueArguments.packed(PRODUCT.convert(ElementType.BF16).quantize("factors"), problem);
    var factors = epilogue.tensors().get("factors");
    var outputs = Map.of("C", Buffers.poisoned(ElementType.E4M3, (long) m * n),
        "factors", Buffers.poisoned(ElementType.F32, factors.strides().get(2)));
    var ours = run(Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile), epilogue), inputs, outputs);
    var behind = run(BlockQuantizer.prepare(ElementType.BF16, false, rows("X", m, n), rows("Y", m, n),
        new LaunchArguments.Tensor("Factor", 0, factors.extents().subList(0, 2), factors.strides().subList(0, 2))),
        Map.of("X", c), Map.of("Y", Buffers.poisoned(ElementType.E4M3, (long) m * n),
            "Factor", Buffers.poisoned(ElementType.F32, factors.strides().get(2))));
    assertEquals(-1, behind.get("Factor").mismatch(ours.get("factors")));
    assertEquals(-1, behind.get("Y").mismatch(ours.get("C")));
  }

  private static LaunchArguments.Tensor rows(String name, long m, long n) {
    return new LaunchArguments.Tensor(name, 0, List.of(m, n), List.of(n, 1L));
  }

  private static MemorySegment special(int m, int k) {
    var a = Buffers.normal(ElementType.BF16, (long) m * k, 1);
    var view = new TensorView(ElementType.BF16, a, Layout.of(Layout.of(m, k), Layout.of(k, 1)));
    for (int i = 0; i < k; i++) {
      view.set(3 + (long) m * i, 0);
      view.set(5 + (long) m * i, 0x1p-110);
    }
    view.set(8, Double.POSITIVE_INFINITY);
    view.set(11, Double.NaN);
    view.set(64, 0x1p120);
    return a;
  }

  private static Map<String, MemorySegment> run(PreparedLaunch launch, Map<String, MemorySegment> inputs,
      Map<String, MemorySegment> outputs) {
    var buffers = new HashMap<>(inputs);
    buffers.putAll(outputs);
    var result = Simulator.load(launch.kernel().module()).run(launch.on(buffers),
        SimulatorOptions.defaults().withSanitizer(true));
    assertEquals(List.of(), result.findings());
    return buffers;
  }

  /**
   * Two blocks of columns of a tile, and consumers that take turns. Beyond N the tree makes 100 of zeros, which is more
   * than any element has.
   */
  @ParameterizedTest
  @CsvSource({"128x256x1, 136, 392", "128x128x1-in-turn, 136, 136"})
  void isWhatTheReferenceSays(String tile, int m, int n) {
    check(tile, problem(ElementType.E4M3, m, n, 72), PRODUCT.times(PRODUCT).times(Epilogue.constant(-1))
        .plus(Epilogue.constant(100)).apply(Pointwise.RELU).amax("amax").quantize("factors"));
  }

  @Test
  void aMatrixThatIsReadIsAddedFirst() {
    check(TILE, problem(ElementType.E4M3, 72, 136, 40),
        PRODUCT.plus(Epilogue.source("R", ElementType.BF16)).quantize("factors"));
  }

  private static void check(String tile, GemmProblem problem, Epilogue tree) {
    var cases = new EpilogueCases("sm90_gemm", "sm90",
        (p, given) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile), given), 1);
    var row = Verification.verify(cases.of("quantized", problem, tree), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact());
  }

  @Test
  void whatCannotBeQuantisedIsRefused() {
    var p = problem(ElementType.E4M3, 72, 136, 40);
    var plain = PRODUCT.quantize("factors");
    assertRefused("this GEMM finds no factors of 128 neighbours: sm90_gemm does, or quantise C behind it",
        () -> Gemm.sm80(p, EpilogueArguments.packed(plain, p)));
    assertRefused("what is quantised has to be all that the epilogue makes: quantise at the root",
        () -> Sm90Gemms.prepare(p, EpilogueArguments.packed(plain.convert(ElementType.E4M3), p)));
    assertRefused("an epilogue that quantises stores no second matrix of more than 8 bits: store that by a GEMM of its"
        + " own", () -> Sm90Gemms.prepare(p, EpilogueArguments.packed(PRODUCT.store("Z", ElementType.BF16)
            .quantize("factors"), p)));
    assertRefused("neighbours along n that share one of factors are no rows of a transposed tile: take a tile that is"
        + " not", () -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, "64x64x1-transposed"),
            EpilogueArguments.packed(plain, p)));
  }

  private static void assertRefused(String message, Runnable action) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, action::run).getMessage());
  }
}
