package tilewright.sm90;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;

class Sm90GemmsTest {
  private static GemmProblem problem(int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN");
  }

  /** One wave of 128 large tiles; four waves of which the last is a third full, against five full ones of others. */
  @ParameterizedTest
  @CsvSource({"2048, 2048, 128, 256", "4096, 4096, 128, 256", "1024, 14336, 128, 176"})
  void tilesAreChosenByWaves(int m, int n, int tileM, int tileN) {
    var config = Sm90Gemms.configure(problem(m, n, 4096));
    assertEquals(tileM + "x" + tileN, config.tileM() + "x" + config.tileN());
  }

  @Test
  void theLargestTilesAreForWhatL2DoesNotHold() {
    var config = Sm90Gemms.configure(problem(16384, 16384, 16384));
    assertEquals("256x192", config.tileM() + "x" + config.tileN());
  }

  @Test
  void tilesThatFillNoWaveAreCutAlongKWhereThatIsLong() {
    assertTrue(Sm90Gemms.configure(problem(512, 1536, 32768)).streamK());
    var launch = Sm90Gemms.prepare(problem(512, 1536, 32768));
    assertEquals(List.of("partials", "flags"), launch.scratch().stream().map(PreparedLaunch.Scratch::name).toList());
  }

  /** CTAs side by side load A's tiles for each other: then B's come from L2 again and again. */
  @ParameterizedTest
  @CsvSource({"2048, true", "4096, true", "8192, false"})
  void bytesShareRowsWhereL2HoldsThem(int size, boolean beside) {
    var problem = GemmProblem.packed(ElementType.E4M3, ElementType.BF16, size, size, size, 1, "TN");
    assertEquals(beside, Sm90Gemms.tiles(problem).contains("128x256x1-beside2"));
  }

  /** A wave of 30 MB and one of 68, too few waves, fewer rows, 16 bits in the largest tiles and others, a few rows. */
  @ParameterizedTest
  @CsvSource({"8192, 8192, 8192, E4M3, false", "16384, 16384, 16384, E4M3, true", "2048, 2048, 16384, E4M3, false",
      "4096, 7168, 16384, E4M3, true", "16384, 16384, 16384, BF16, true", "8192, 4096, 14336, BF16, false",
      "16, 16384, 16384, BF16, false"})
  void blocksKeepInStepWhereL2DoesNotHoldWhatAWaveCopies(int m, int n, int k, ElementType type, boolean paced) {
    var problem = GemmProblem.packed(new GemmTypes(type, type, ElementType.BF16, Accumulation.EXACT), m, n, k, 1, "TN");
    assertEquals(paced, Sm90Gemms.configure(problem).waveSynchronised());
    assertEquals(paced ? List.of("pace") : List.of(),
        Sm90Gemms.prepare(problem).scratch().stream().map(PreparedLaunch.Scratch::name).toList());
  }

  @Test
  void blocksWhoseThreadsReadScalesDoNotKeepInStep() {
    var types = new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED);
    assertFalse(Sm90Gemms.configure(GemmProblem.packed(types, 4096, 7168, 16384, 1, "TN")).waveSynchronised());
  }

  @Test
  void fewRowsBecomeColumnsWhoseTilesShareK() {
    var config = Sm90Gemms.configure(problem(16, 4096, 14336));
    assertEquals("64 columns, 2 along k", config.tileM() + " columns, " + config.cluster().splits() + " along k");
    assertTrue(config.transposed() && config.tileN() >= 16 && config.tileN() <= 32, config.toString());
    assertEquals(128, Sm90Gemms.prepare(problem(16, 4096, 14336)).grid().x());
  }

  /** The fastest tile of these took 122, 44 and 316 µs, the wide one in turns 141, 54 and 386. */
  @ParameterizedTest
  @CsvSource({"4416, 13248, 1312", "4224, 7744, 672", "8192, 4096, 7168"})
  void wideTilesOfBytesAreNotComputedInTurns(int m, int n, int k) {
    var problem = GemmProblem.packed(ElementType.E4M3, ElementType.BF16, m, n, k, 1, "TN");
    assertFalse(Sm90Gemms.tiles(problem).contains("128x176x1-in-turn"));
    assertTrue(Sm90Gemms.tiles(problem(m, n, k)).contains("128x176x1-in-turn"));
  }

  @Test
  void consumersTakeTurnsWhereKIsShort() {
    assertTrue(Sm90Gemms.configure(problem(8192, 24576, 1536)).pingPong());
  }

  /** Tiles whose consumers take turns are not there for exact sums of 8-bit floats. */
  @Test
  void aMatrixThatIsReadLeavesEveryTypeAConfiguration() {
    for (var accumulation : List.of(Accumulation.FAST, Accumulation.EXACT)) {
      var types = new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, accumulation);
      var problem = GemmProblem.packed(types, 8192, 8192, 1024, 1, "TN").scaled(1, 2);
      assertEquals(accumulation == Accumulation.FAST,
          Sm90Gemms.configure(problem, Epilogue.linearCombination(ElementType.BF16)).pingPong());
    }
  }

  /** Integers have no tiles whose columns wgmma does not multiply, and sums are added from CTA to CTA in their type. */
  @ParameterizedTest
  @CsvSource({"I8, BF16, FAST", "I8, I32, FAST", "E4M3, BF16, EXACT", "E4M3, F32, FAST"})
  void everyTileThatIsListedCanBePrepared(ElementType operand, ElementType output, Accumulation accumulation) {
    var problem = GemmProblem.packed(new GemmTypes(operand, operand, output, accumulation), 144, 272, 1040, 1, "TN");
    var tiles = Sm90Gemms.tiles(problem);
    assertTrue(tiles.stream().anyMatch(tile -> tile.endsWith("-shared-tail")), tiles.toString());
    assertTrue(tiles.stream().anyMatch(tile -> tile.contains("-split")), tiles.toString());
    for (var tile : tiles) {
      assertDoesNotThrow(() -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile)), tile);
    }
  }

  @Test
  void noMoreClustersAreLaunchedThanThereAreTiles() {
    var problem = problem(200, 104, 64);
    assertEquals(2, Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, "128x256x2")).grid().x());
  }

  @Test
  void unalignedOperandsAreRefusedWithTheFixWhereTensorCopiesAreAskedFor() {
    // A single row has no next one.
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 1, 64, 65, 1, "TN");
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem)));
    assertTrue(refusal.getMessage().startsWith("B has rows, or columns, 65 elements apart: pad them to 72"),
        refusal.getMessage());
    assertTrue(Sm90Gemms.prepare(problem).kernel().name().startsWith("sm80"));
  }

  /** Padded or not, 65 columns end within 16 bytes. */
  @ParameterizedTest
  @CsvSource({"64, 64, true", "65, 65, false", "65, 72, false"})
  void whatEndsWithin16BytesThreadsStore(int n, int stride, boolean copied) {
    var p = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 64, n, 64, 1, "TN");
    var problem = new GemmProblem(p.types(), p.m(), n, p.k(), 1, p.a(), p.b(), new Matrix("C", 0, stride, 1, 0), 1, 0);
    var kernel = Sm90Gemms.prepare(problem).kernel();
    assertTrue(kernel.name().startsWith("sm90"), kernel.name());
    assertEquals(copied, kernel.ptx().contains("global.shared::cta"), "C is stored by tensor copies");
  }

  @Test
  void anOffsetThatIsNotAlignedIsRefusedAndGoesAnotherWay() {
    var aligned = problem(64, 64, 64);
    var a = new Matrix("A", 2, 64, 1, 0);
    var shifted = new GemmProblem(aligned.types(), 64, 64, 64, 1, a, aligned.b(), aligned.c(), 1, 0);
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Sm90Gemms.prepare(shifted, Sm90Gemms.configure(shifted)));
    assertTrue(refusal.getMessage().startsWith("A begins 2 bytes into its buffer"), refusal.getMessage());
    assertTrue(Sm90Gemms.prepare(shifted).kernel().name().startsWith("sm80"));
  }

  @Test
  void unalignedOperandsThatOnlyWgmmaTakesAreFetchedByThreads() {
    var problem = GemmProblem.packed(ElementType.E4M3, ElementType.BF16, 64, 64, 24, 1, "TN");
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem)));
    assertTrue(refusal.getMessage().startsWith("A has rows, or columns, 24 elements apart: pad them to 32"),
        refusal.getMessage());
    assertFalse(Sm90Gemms.prepare(problem).kernel().ptx().contains("shared::cluster.global"), "A or B is copied");
  }

  /** Two CTAs share an SM where half a ring is enough and all tiles run at once. */
  @ParameterizedTest
  @CsvSource({"16, 7168, 16384, 64x16x1, 2", "64, 14336, 4096, 64x64x1, 2", "64, 7168, 16384, 64x64x1, 1",
      "16, 4096, 4096, 64x16x1-split2, 2", "16, 4096, 14336, 64x16x1-split2, 1", "64, 4096, 4096, 64x64x1-split2, 1",
      "40, 24576, 1536, 64x48x1, 1"})
  void twoShareAMultiprocessorWhereHalfARingIsEnough(int m, int n, int k, String tile, int resident) {
    var config = Sm90Gemms.configure(problem(m, n, k), tile + "-transposed");
    assertEquals(resident, config.resident());
    assertEquals(resident == 1 ? 128 : 64, config.tileK());
  }

  /** Clusters split k while all of them fit at once; other tiles leave the busiest CTA the fewest rows. */
  @ParameterizedTest
  @CsvSource({"1, 4096, 64x16 of 2", "16, 4096, 64x16 of 2", "40, 4096, 64x48 of 2", "1, 14336, 128x8 of 1",
      "17, 7168, 64x32 of 1", "64, 24576, 64x64 of 1"})
  void weightsAheadAreOfTheFewestColumnsThatHoldAllRows(int m, int n, String tile) {
    var config = Sm90Gemms.configureWeightsAhead(problem(m, n, 4096));
    assertEquals(tile, config.tileM() + "x" + config.tileN() + " of " + config.cluster().splits());
    assertTrue(config.weightsAhead() && config.transposed());
  }

  /**
   * Up to 192 rows of A become the columns of one tile, as few as hold them; k is split, or weights are taken 128 rows
   * at a time, as that gives most SMs a tile.
   */
  @ParameterizedTest
  @CsvSource({"33, 4096, 4096, 64x48 of 2", "192, 14336, 4096, 128x192 of 1"})
  void rowsBecomeTheColumnsOfOneTile(int m, int n, int k, String tile) {
    for (var type : List.of(ElementType.TF32, ElementType.BF16)) {
      var config = Sm90Gemms.configure(GemmProblem.packed(GemmTypes.of(type, GemmTypes.usualOutput(type)), m, n, k, 1,
          "TN"));
      assertEquals(tile, config.tileM() + "x" + config.tileN() + " of " + config.cluster().splits());
      assertTrue(config.transposed());
    }
  }

  /** One wave of the largest tiles, many of others in turn, and what outgrows L2 many times over. */
  @ParameterizedTest
  @CsvSource({"2048, TF32, 128x256", "16384, TF32, 256x192 in step",
      "16384, BF16, 256x192 in step", "2048, E4M3, 128x256"})
  void floatsOfAnyWidthHaveTheTilesOfHalves(int size, ElementType type, String tile) {
    var types = GemmTypes.of(type, GemmTypes.usualOutput(type));
    var config = Sm90Gemms.configure(GemmProblem.packed(types, size, size, size, 1, "TN"));
    assertEquals(tile, config.tileM() + "x" + config.tileN() + (config.pingPong() ? " in turn" : "")
        + (config.waveSynchronised() ? " in step" : ""));
  }

  /** More rows than a tile has columns would read weights again. */
  @ParameterizedTest
  @CsvSource({"256, 4096, 4096", "256, 4096, 14336", "256, 7168, 16384"})
  void manyRowsAreNotExchangedForColumns(int m, int n, int k) {
    assertFalse(Sm90Gemms.configure(problem(m, n, k)).transposed());
  }

  /** Nor is memory idle for long between two that take long. */
  @ParameterizedTest
  @CsvSource({"1, 7168, false", "64, 7168, false", "16, 4096, true"})
  void whereACtaHasAllOfALongKItWaits(int m, int n, boolean ahead) {
    var problem = problem(m, n, 16384);
    var config = Sm90Gemms.configureWeightsAhead(problem);
    assertEquals(ahead, config.weightsAhead());
    assertEquals(!ahead, Sm90Gemms.configurations(problem).anyMatch(config::equals));
  }

  /** Three fifths of a ring, as far as the other CTA has enough of k left. */
  @ParameterizedTest
  @CsvSource({"16, 4096, 22", "64, 4096, 19", "16, 1024, 6", "16, 256, 1"})
  void theFirstOfTwoThatShareKHasMoreOfItWhereWeightsAreAhead(int m, int k, int steps) {
    var problem = problem(m, 4096, k);
    var config = Sm90Gemms.configureWeightsAhead(problem);
    assertEquals(steps * config.tileK(), config.interval(k));
    assertEquals(Math.ceilDiv(k, 2), Sm90Gemms.configure(problem, "64x64x1-split2-transposed").interval(k));
  }

  @Test
  void weightsAheadOfManyRowsOrAcrossAreRefused() {
    for (var problem : List.of(problem(65, 4096, 4096),
        GemmProblem.packed(ElementType.BF16, ElementType.BF16, 16, 64, 64, 1, "NN"),
        GemmProblem.packed(ElementType.E4M3, ElementType.BF16, 16, 64, 64, 1, "TN"),
        GemmProblem.packed(new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.FAST), 16,
            64, 64, 1, "TN"))) {
      var refusal = assertThrows(IllegalArgumentException.class, () -> Sm90Gemms.configureWeightsAhead(problem));
      assertTrue(refusal.getMessage().startsWith("no weights are copied ahead for " + problem.m() + " rows"),
          refusal.getMessage());
    }
  }

  @Test
  void onlyTheThreadThatCopiesWeightsDoesNotWaitForThePreviousKernel() {
    var problem = problem(16, 4096, 4096);
    var ptx = Sm90Gemms.prepare(problem, Sm90Gemms.configureWeightsAhead(problem)).kernel().ptx();
    var roles = ptx.split("griddepcontrol.wait", -1);
    assertEquals(3, roles.length, "one thread that copies waits, and those that multiply");
    var weights = ptx.substring(ptx.indexOf(", A_map")).replaceAll("(?s).*?cvta.param.u64 (%rd\\d+).*", "$1");
    assertTrue(roles[0].lines().filter(line -> line.contains("cp.async.bulk.tensor"))
        .allMatch(line -> line.contains("[" + weights + ",")), "copies before a wait are of weights");
    assertTrue(roles[0].contains("cp.async.bulk.tensor") && roles[1].contains("cp.async.bulk.tensor"));
    assertTrue(roles[1].indexOf("griddepcontrol.launch_dependents") > 0, "the next kernel may begin after the wait");
    assertTrue(!roles[0].contains("griddepcontrol"), "and not before");
  }

  /** Vectors along rows are read in pairs where M is even: the transposed tiles have a kernel for each parity. */
  @Test
  void problemsOfOneFormHaveOneKernel() {
    var tree = Epilogue.accumulator().times(Epilogue.rowBias("SA", ElementType.F32)).convert(ElementType.BF16);
    CompiledKernel.sharingTraces(() -> {
      var kernels = new HashMap<String, CompiledKernel>();
      for (int m : List.of(40, 41, 42)) {
        var problem = GemmProblem.packed(ElementType.E4M3, ElementType.BF16, m, 256, 128, 1, "TN");
        var epilogue = EpilogueArguments.packed(tree, problem);
        var numbers = Map.of("M", (long) m, "N", 256L, "K", 128L, "L", 1L, "A_s", 128L, "B_s", 128L);
        Sm90Gemms.choices(problem, epilogue).stream().filter(c -> c.tile().startsWith("64x48")).forEach(choice -> {
          var kernel = Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, choice.tile()), epilogue).kernel();
          var first = kernels.putIfAbsent(choice.tile() + ": " + choice.form().at(numbers), kernel);
          if (first != null) assertEquals(first.ptx(), kernel.ptx(), choice.tile() + " of " + m + " rows");
        });
      }
      assertTrue(kernels.size() > 1, () -> "no tiles: " + kernels.keySet());
      return kernels;
    });
  }
}
