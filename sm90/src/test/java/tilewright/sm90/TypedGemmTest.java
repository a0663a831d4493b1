package tilewright.sm90;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.Matrix;
import tilewright.kernel.TraceException;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;

/** What the Hopper GEMM says to types, scales and groups that it does not take. */
class TypedGemmTest {
  private static GemmProblem problem(GemmTypes types, int batch, String order) {
    return GemmProblem.packed(types, 256, 256, 256, batch, order);
  }

  private static GemmTypes fp8(Accumulation accumulation) {
    return new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, accumulation);
  }

  private static void assertRefused(String reason, Executable call) {
    var refusal = assertThrows(IllegalArgumentException.class, call);
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"E4M3, NN, A of e4m3", "E5M2, TT, B of e5m2", "TF32, NN, A of tf32", "I8, TT, B of i8"})
  void whatHasNot16BitsAndDoesNotLieAlongKThreadsFetch(ElementType operand, String order, String reason) {
    var problem = problem(GemmTypes.of(operand, GemmTypes.usualOutput(operand)), 1, order);
    assertRefused(reason + " must have its neighbours along k",
        () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem)));
    assertFalse(Sm90Gemms.prepare(problem).kernel().ptx().contains("shared::cluster.global"), "A or B is copied");
  }

  @Test
  void threadsFetchWholeTilesForTheirOwnBlock() {
    var types = fp8(Accumulation.FAST);
    assertRefused("threads fetch whole tiles", () -> config(types, 3, new ClusterShape(2, 1, 1),
        Variant.PLAIN.with(Loading.THREADS)));
    assertRefused("threads fetch whole tiles", () -> config(types, 3, new ClusterShape(1, 1, 1),
        Variant.PLAIN.with(Loading.THREADS).with(Variant.Order.STREAM_K)));
  }

  private static Sm90GemmConfig config(GemmTypes types, int stages, ClusterShape cluster, Variant variant) {
    return new Sm90GemmConfig(Operands.alongK(types), new TileShape(128, 128, 128), 2, stages, cluster, 8, 1, variant);
  }

  @Test
  void integersAreNeitherScaledNorRounded() {
    var integers = problem(GemmTypes.of(ElementType.I8, ElementType.I32), 1, "TN");
    assertRefused("alpha is 1, beta 0", () -> Sm90Gemms.prepare(integers.scaled(2, 0)));
    assertRefused("alpha is 1, beta 0", () -> Sm90Gemms.prepare(integers.scaled(1, 1)));
    for (var epilogue : List.of(StandardEpilogue.BIAS, StandardEpilogue.ROW_SUM, StandardEpilogue.AMAX)) {
      assertRefused("needs another type of C", () -> Sm90Gemms.prepare(integers,
          EpilogueArguments.packed(epilogue.tree(ElementType.I32), integers)));
    }
    assertRefused("only sums of i8 are integers", () -> Sm90Gemms.prepare(problem(GemmTypes.of(ElementType.BF16,
        ElementType.I32), 1, "TN")));
  }

  @Test
  void anEpilogueRoundsToTheTypeOfC() {
    var problem = problem(GemmTypes.of(ElementType.BF16, ElementType.BF16), 1, "TN");
    assertRefused("rounds to f16, but C is of bf16", () -> Sm90Gemms.prepare(problem,
        EpilogueArguments.packed(StandardEpilogue.BIAS.tree(ElementType.F16), problem)));
  }

  @Test
  void aConfigurationIsForTypes() {
    var problem = problem(GemmTypes.of(ElementType.BF16, ElementType.BF16), 1, "TN");
    var other = problem(GemmTypes.of(ElementType.F16, ElementType.BF16), 1, "TN");
    assertRefused("does not multiply f16->bf16", () -> Sm90Gemms.prepare(other, Sm90Gemms.configure(problem)));
  }

  @ParameterizedTest
  @EnumSource(names = {"FAST", "EXACT"})
  void productsWithoutScalesAreNotScaled(Accumulation accumulation) {
    assertRefused("have no scales", () -> ScaledGemm.packed(problem(fp8(accumulation), 1, "TN")));
  }

  @Test
  void promotedSumsAreOfOneTileAndThoseWithScalesOfAllOfK() {
    assertRefused("leave the tensor core on the way", () -> config(fp8(Accumulation.EXACT), 4,
        new ClusterShape(1, 1, 1), Variant.PLAIN.with(Variant.Consumers.PING_PONG)));
    assertRefused("not added from CTA to CTA", () -> config(fp8(Accumulation.SCALED), 4,
        new ClusterShape(1, 1, 2), Variant.PLAIN));
    assertRefused("parts of k", () -> config(fp8(Accumulation.SCALED), 4,
        new ClusterShape(1, 1, 1), Variant.PLAIN.with(Variant.Order.STREAM_K)));
  }

  @Test
  void onlyF16IsAccumulatedInF16AndByOneCtaAlone() {
    assertRefused("cannot be accumulated in f16", () -> GemmTypes.of(ElementType.BF16, ElementType.F16)
        .summedIn(ElementType.F16));
    var types = GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16);
    assertRefused("not added from CTA to CTA", () -> config(types, 4, new ClusterShape(1, 1, 2), Variant.PLAIN));
    assertRefused("not added from CTA to CTA", () -> config(types, 4, new ClusterShape(1, 1, 1),
        Variant.PLAIN.with(Variant.Order.STREAM_K)));
    assertTrue(Sm90Gemms.prepare(problem(types, 1, "TN")).kernel().ptx().contains("k16.f16.f16.f16"));
  }

  @Test
  void scaledProductsAreAddedToWhatIsThereInEveryTile() {
    var problem = problem(fp8(Accumulation.SCALED), 1, "TN").scaled(1, 1);
    for (var tile : Sm90Gemms.tiles(problem)) {
      assertDoesNotThrow(() -> ScaledGemm.packed(problem).prepare(Sm90Gemms.configure(problem, tile)), tile);
    }
  }

  @Test
  void scalesMustBeGiven() {
    assertThrows(IllegalArgumentException.class, () -> Sm90Gemms.prepare(problem(fp8(Accumulation.SCALED), 1, "TN")));
  }

  @Test
  void scalesOfNeighbouringRowsMustLieSideBySide() {
    var problem = problem(fp8(Accumulation.SCALED), 1, "TN");
    var scalesB = Matrix.rowMajor("SB", 2, 2);
    assertRefused("stride of M is 2, this kernel needs 1",
        () -> new ScaledGemm(problem, Matrix.rowMajor("SA", 256, 2), scalesB).prepare());
    assertRefused("stride of KB is 257, this kernel needs multiples of 4",
        () -> new ScaledGemm(problem, Matrix.columnMajor("SA", 257, 2), scalesB).prepare());
  }

  @Test
  void weightsWithScalesAreNotCopiedAhead() {
    assertRefused("have scales", () -> config(fp8(Accumulation.SCALED), 4, new ClusterShape(1, 1, 1),
        Variant.PLAIN.with(Loading.WEIGHTS_AHEAD)));
  }

  @Test
  void onlyNarrowTimesWideIsMixed() {
    assertRefused("are not mixed", () -> MixedGemm.packed(problem(fp8(Accumulation.SCALED), 1, "TN")));
  }

  @Test
  void groupsAndBatchMustFit() {
    var batch = problem(GemmTypes.of(ElementType.BF16, ElementType.BF16), 3, "TN");
    assertRefused("contiguous groups have one batch entry", () -> new GroupedGemm(batch, Grouping.CONTIGUOUS, 3));
    assertRefused("masked ones an entry each", () -> new GroupedGemm(batch, Grouping.MASKED, 4));
    assertEquals(2, new GroupedGemm(batch, Grouping.MASKED, 3).blocks());
  }

  @Test
  void rowsOfOtherGroupsDoNotShareATileOfB() {
    var problem = problem(GemmTypes.of(ElementType.BF16, ElementType.BF16), 1, "TN");
    var config = Sm90Gemms.configure(problem, new ClusterShape(2, 1, 1), 128, 128, 2, 4, 8);
    var refusal = assertThrows(TraceException.class,
        () -> new GroupedGemm(problem, Grouping.CONTIGUOUS, 2).prepare(config));
    assertTrue(refusal.getMessage().contains("use a cluster along n"), refusal.getMessage());
  }
}
