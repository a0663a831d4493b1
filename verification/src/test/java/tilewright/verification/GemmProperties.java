package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.GemmCases;

/**
 * GEMM kernels on random problems: clean under the sanitizer, and bit for bit what their arithmetic gives on the CPU. A
 * failure shrinks to the smallest extents that still fail.
 */
class GemmProperties {
  private static final Set<String> SIMULATOR = Set.of("sim");
  private static final int LARGEST = 160;
  /** The elements in the 16 bytes to which every row of a tensor copy is aligned, for types of at least 8 bits. */
  private static final int ALIGNED = 16;

  /** A problem with the order of its operands, which names it. */
  record Ordered(String order, GemmProblem problem) {}

  @Property(tries = 16, edgeCases = EdgeCasesMode.NONE)
  void onSm80(@ForAll("anyProblems") Ordered p, @ForAll int seed) {
    requireExact(GemmCases.gemm("sm80_gemm", "sm80", p.problem, () -> Gemm.sm80(p.problem), p.order, SIMULATOR,
        seed), seed);
  }

  @Property(tries = 16, edgeCases = EdgeCasesMode.NONE)
  void onHopperInEveryTile(@ForAll("alignedProblems") GemmProblem p, @ForAll int choice, @ForAll int seed) {
    var tiles = Sm90Gemms.tiles(p);
    requireExact(GemmCases.tiled(p, tiles.get(Math.floorMod(choice, tiles.size())), SIMULATOR, seed), seed);
  }

  private static void requireExact(Case c, int seed) {
    var row = Verification.verify(c, new SimulatorBackend(seed));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact(), c.config());
  }

  /** Multiples of a unit, sometimes none or one. */
  private static Arbitrary<Integer> extents(int unit) {
    var many = Arbitraries.integers().between(2, LARGEST / unit);
    return Arbitraries.frequencyOf(Tuple.of(1, Arbitraries.of(0, 1)), Tuple.of(9, many)).map(n -> n * unit);
  }

  /** Any extents, with a batch and factors. */
  @Provide
  Arbitrary<Ordered> anyProblems() {
    var types = Arbitraries.of(GemmTypes.of(ElementType.BF16, ElementType.F32),
        GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F32));
    var extents = extents(1);
    var factors = Arbitraries.of(0f, 1f, -1.5f);
    return Combinators.combine(types, extents, extents, extents, Arbitraries.integers().between(0, 2),
        Arbitraries.of("TN", "NN", "TT", "NT"), factors, factors).as((type, m, n, k, batch, order, alpha, beta) ->
        new Ordered(order, GemmProblem.packed(type, m, n, k, batch, order).scaled(alpha, beta)));
  }

  /** Extents that tensor copies can reach, in every type of the Hopper GEMM. */
  @Provide
  Arbitrary<GemmProblem> alignedProblems() {
    var types = Arbitraries.of(ElementType.BF16, ElementType.F16, ElementType.TF32, ElementType.E4M3, ElementType.I8)
        .map(type -> GemmTypes.of(type, GemmTypes.usualOutput(type)));
    var extents = extents(ALIGNED);
    return Combinators.combine(types, extents, extents, extents, Arbitraries.of("TN", "NN", "TT", "NT"))
        .as((type, m, n, k, order) -> GemmProblem.packed(type, m, n, k, 1,
            type.a().bits() == ElementType.BF16.bits() ? order : "TN"));
  }
}
