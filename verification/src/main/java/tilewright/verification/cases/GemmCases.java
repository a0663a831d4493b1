package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.SplitK;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.library.GemmKernel;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.Comparison;
import tilewright.reference.GemmReference;
import tilewright.reference.TensorView;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.ladder.LadderStep;

/**
 * GEMM: operand orders, odd sizes, batches, factors, and a size that only a GPU does in reasonable time: more than two
 * waves of tiles.
 */
public final class GemmCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");
  private static final List<String> ORDERS = List.of("TN", "NN", "TT", "NT");
  /** Rows of a large result that are compared: the reference of all would take minutes. */
  private static final int SAMPLED_ROWS = 48;
  private static final long LARGE = 1L << 31;
  /** K of an {@code mma}, to which tiles' zeros round k up. */
  private static final int STEP = 16;

  private GemmCases() {}

  static List<Case> naive(long seed) {
    var cases = new ArrayList<Case>();
    for (var type : List.of(ElementType.BF16, ElementType.F16, ElementType.F32)) {
      var problem = GemmProblem.packed(type, ElementType.F32, 17, 33, 65, 1, "TN");
      cases.add(gemm("naive_gemm", "sm80", problem, () -> Gemm.naive(problem), "TN", EVERYWHERE, seed));
    }
    for (var problem : empty(ElementType.BF16, ElementType.F32)) {
      if (problem.batch() != 1) continue;
      cases.add(gemm("naive_gemm", "sm80", problem, () -> Gemm.naive(problem), "TN", EVERYWHERE, seed));
    }
    return cases;
  }

  /** @param kernel in the tiles of the GPU that is meant */
  static List<Case> tensorCores(GemmKernel kernel, long seed) {
    var cases = new ArrayList<Case>();
    for (var type : List.of(ElementType.BF16, ElementType.F16)) {
      for (var order : ORDERS) {
        add(cases, kernel, GemmProblem.packed(type, ElementType.F32, 128, 136, 72, 1, order), order, EVERYWHERE,
            seed);
        add(cases, kernel, GemmProblem.packed(type, ElementType.F32, 17, 33, 65, 1, order), order, EVERYWHERE, seed);
      }
    }
    for (var order : ORDERS) {
      add(cases, kernel, GemmProblem.packed(ElementType.BF16, ElementType.F32, 1, 1, 1, 1, order), order, EVERYWHERE,
          seed);
      add(cases, kernel, GemmProblem.packed(ElementType.BF16, ElementType.F32, 127, 129, 4095, 1, order), order,
          EVERYWHERE, seed);
    }
    add(cases, kernel, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 96, 80, 200, 3, "TN").scaled(0.5f, 2f),
        "TN", EVERYWHERE, seed);
    add(cases, kernel, GemmProblem.packed(ElementType.F16, ElementType.F32, 33, 47, 19, 2, "NT").scaled(-1.5f, 0.25f),
        "NT", EVERYWHERE, seed);
    add(cases, kernel, GemmProblem.packed(ElementType.BF16, ElementType.F32, 512, 512, 512, 1, "TN"), "TN", EVERYWHERE,
        seed);
    for (var order : ORDERS) add(cases, kernel, halfSums(128, 136, 200, 1, order), order, EVERYWHERE, seed);
    for (var problem : empty(ElementType.BF16, ElementType.BF16)) add(cases, kernel, problem, "TN", EVERYWHERE, seed);
    add(cases, kernel, GemmProblem.packed(ElementType.F16, ElementType.F32, 33, 47, 0, 2, "TN").scaled(-1.5f, 0.25f),
        "TN", EVERYWHERE, seed);
    for (var order : ORDERS) {
      add(cases, kernel, GemmProblem.packed(ElementType.BF16, ElementType.F32, 2176, 2304, 512, 1, order), order,
          GPU_ONLY, seed);
    }
    cases.addAll(splitK(seed));
    return cases;
  }

  /** CTAs that share k, the last with less of it than others or of a tile, in a batch, and of none. */
  private static List<Case> splitK(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : ORDERS) {
      cases.add(split(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 72, 136, 264, 1, order), 4, order,
          EVERYWHERE, seed));
      cases.add(split(GemmProblem.packed(ElementType.BF16, ElementType.F32, 264, 392, 8192, 1, order), 8, order,
          GPU_ONLY, seed));
    }
    cases.add(split(GemmProblem.packed(ElementType.F16, ElementType.F32, 33, 47, 131, 2, "NT").scaled(-1.5f, 0.25f), 3,
        "NT", EVERYWHERE, seed));
    cases.add(split(GemmProblem.packed(ElementType.F16, ElementType.F32, 33, 47, 0, 1, "TN"), 4, "TN", EVERYWHERE,
        seed));
    return cases;
  }

  /** The SM80 GEMM with this number of CTAs that share the k of a tile. */
  public static Case split(GemmProblem p, int splits, String order, Set<String> backends, long seed) {
    var config = Gemm.configure(p);
    int tileK = config.tile().k();
    int each = Math.max(1, Math.ceilDiv(Math.ceilDiv(p.k(), tileK), splits)) * tileK;
    var parts = IntStream.range(0, SplitK.parts(p.k(), tileK, splits)).mapToObj(i -> new GemmReference.Parts.Part(
        i * each, Math.min((i + 1) * each, Math.ceilDiv(p.k(), STEP) * STEP))).toList();
    return new Case("sm80_gemm", "sm80", config(p, order) + " split=" + splits, backends, Price.of(p),
        () -> Gemm.sm80(p, config, splits), () -> inputs(p, seed), (in, out, architecture) -> compare(p, in, out,
            (reference, rows) -> reference.onTensorCores(architecture, (_, _, _) -> parts, rows)));
  }

  /** Problems with nothing to write: no rows, no columns, no batch entry, and a C of zeros: nothing to add up. */
  static List<GemmProblem> empty(ElementType operand, ElementType output) {
    return Stream.of(List.of(0, 24, 72, 1), List.of(40, 0, 72, 1), List.of(40, 24, 72, 0), List.of(0, 0, 0, 0),
        List.of(40, 24, 0, 1)).map(e -> GemmProblem.packed(operand, output, e.get(0), e.get(1), e.get(2), e.get(3),
            "TN")).toList();
  }

  /** Tails in every extent, a batch, a factor, extents of none, rows that threads store, and more tiles than CTAs. */
  static List<Case> hopper(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : ORDERS) {
      var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 264, 72, 1, order);
      cases.add(hopper(problem, order, EVERYWHERE, seed));
      cases.add(hopper(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 2176, 4352, 512, 1, order), order,
          GPU_ONLY, seed));
    }
    cases.add(hopper(GemmProblem.packed(ElementType.F16, ElementType.F32, 40, 24, 200, 3, "TN").scaled(0.5f, 0), "TN",
        EVERYWHERE, seed));
    cases.add(hopper(GemmProblem.packed(ElementType.F16, ElementType.F16, 1, 8, 8, 1, "TN"), "TN", EVERYWHERE, seed));
    cases.add(hopper(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 263, 72, 2, "TN"), "TN", EVERYWHERE,
        seed));
    for (var problem : empty(ElementType.BF16, ElementType.BF16)) {
      cases.add(hopper(problem, "TN", EVERYWHERE, seed));
    }
    return cases;
  }

  /** Each tile: with tails, and where there is time for it with a ring that wraps and more tiles than CTAs. */
  static List<Case> hopperTiles(long seed) {
    var small = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 72, 136, 200, 1, "TN");
    var large = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 1288, 2056, 1416, 1, "TN");
    return Stream.concat(Sm90Gemms.tiles(small).stream()
        .flatMap(tile -> Stream.of(tiled(small, tile, EVERYWHERE, seed), tiled(large, tile, GPU_ONLY, seed))),
        Stream.concat(acrossClusters(seed), ofOtherWidths(seed))).toList();
  }

  /** Operands across k whose swizzled rows the CTAs of a cluster cannot cut, so that each loads some columns. */
  private static Stream<Case> acrossClusters(long seed) {
    return Stream.of("NN", "TT", "NT").flatMap(order -> {
      var small = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 72, 136, 200, 1, order);
      var large = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 1288, 2056, 1416, 1, order);
      return Stream.of(tiled(small, "64x96x4-beside2-transposed", EVERYWHERE, seed),
          tiled(large, "64x96x4-beside2-transposed", GPU_ONLY, seed));
    });
  }

  /** Operands of 32 and 8 bits, in one tile of each kind. */
  private static Stream<Case> ofOtherWidths(long seed) {
    return Stream.of(ElementType.TF32, ElementType.E4M3).flatMap(type -> {
      var small = GemmProblem.packed(type, GemmTypes.usualOutput(type), 72, 136, 208, 1, "TN");
      var large = GemmProblem.packed(type, GemmTypes.usualOutput(type), 1288, 2056, 1424, 1, "TN");
      return Stream.of("256x192x1", "128x128x1-in-turn", "128x128x1-shared-tail", "128x64x1-split2",
          "64x80x1-split2-transposed", "128x96x1-transposed")
          .flatMap(tile -> Stream.of(tiled(small, tile, EVERYWHERE, seed), tiled(large, tile, GPU_ONLY, seed)));
    });
  }

  /**
   * Accumulators of f16: every operand order, tails, a batch, factors, extents of none, the tiles that only they have,
   * and operands that tensor copies cannot reach.
   */
  static List<Case> halfSums(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : ORDERS) {
      cases.add(hopper(halfSums(136, 264, 392, 1, order), order, EVERYWHERE, seed));
      cases.add(hopper(halfSums(2176, 4352, 2048, 1, order), order, GPU_ONLY, seed));
    }
    cases.add(hopper(halfSums(40, 24, 200, 3, "TN").scaled(0.5f, 2), "TN", EVERYWHERE, seed));
    cases.add(hopper(halfSums(40, 24, 0, 1, "TN"), "TN", EVERYWHERE, seed));
    cases.add(hopper(halfSums(136, 263, 72, 2, "TN"), "TN", EVERYWHERE, seed));
    for (var tile : List.of("256x256x1", "256x256x2", "128x256x1-in-turn", "256x192x1", "64x16x1-transposed")) {
      cases.add(tiled(halfSums(72, 136, 200, 1, "TN"), tile, EVERYWHERE, seed));
      cases.add(tiled(halfSums(1288, 2056, 1416, 1, "TN"), tile, GPU_ONLY, seed));
    }
    cases.add(unaligned(halfSums(33, 47, 65, 2, "TT"), "TT", seed));
    return cases;
  }

  private static GemmProblem halfSums(int m, int n, int k, int batch, String order) {
    return GemmProblem.packed(GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16), m, n, k, batch,
        order);
  }

  /** Few rows whose weights are copied ahead: with tails, and where there is time for it more tiles than CTAs. */
  static List<Case> weightsAhead(long seed) {
    var small = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 13, 136, 712, 1, "TN");
    var large = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 61, 14344, 1416, 1, "TN");
    return Stream.of(small, large).map(p -> hopper(p, Sm90Gemms.configureWeightsAhead(p), config(p, "TN")
        + " weights ahead", p == small ? EVERYWHERE : GPU_ONLY, seed)).toList();
  }

  /** A problem in one of {@link Sm90Gemms#tiles}. */
  public static Case tiled(GemmProblem p, String tile, Set<String> backends, long seed) {
    return hopper(p, Sm90Gemms.configure(p, tile), config(p, order(p)) + " tile=" + tile, backends, seed);
  }

  /** Operands that TMA cannot copy: rows of odd length, and a start that is not a multiple of 16 bytes. */
  static List<Case> unaligned(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : ORDERS) {
      cases.add(unaligned(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 33, 47, 65, 2, order), order, seed));
    }
    var p = GemmProblem.packed(ElementType.F16, ElementType.F32, 40, 24, 72, 1, "TN");
    cases.add(unaligned(new GemmProblem(p.types(), 39, 24, 72, 1, new Matrix("A", 6, 72, 1, 0), p.b(), p.c(), 2, 0),
        "TN from A+6", seed));
    cases.add(unaligned(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 3, 5, 0, 1, "TN"), "TN", seed));
    return cases;
  }

  private static Case unaligned(GemmProblem p, String order, long seed) {
    return unaligned("sm90", () -> Sm90Gemms.prepare(p), p, order, seed);
  }

  /** A problem that another architecture's GEMM leaves to the SM80 kernel. */
  static Case unaligned(String arch, Supplier<PreparedLaunch> launch, GemmProblem p, String order, long seed) {
    var config = p.m() + "x" + p.n() + "x" + p.k() + " " + order + " " + p.types() + " unaligned";
    return new Case(arch + "_gemm", arch, config, EVERYWHERE, Price.of(p), launch, () -> inputs(p, seed),
        (in, out, architecture) -> compare(p, in, out, "sm80_gemm", architecture));
  }

  /** Every step from naive to final: tails in every extent, extents of none, and on a GPU a size that fills it. */
  static List<Case> ladder(long seed) {
    var cases = new ArrayList<Case>();
    for (var step : LadderStep.values()) {
      // Where there is a ring, it wraps.
      var p = step.isSequential() ? step.problem(40, 24, 72) : step.problem(136, 264, 392);
      cases.add(ladder(step, p, EVERYWHERE, seed));
      cases.add(ladder(step, step.problem(0, 24, 72), EVERYWHERE, seed));
      cases.add(ladder(step, step.problem(40, 24, 0), EVERYWHERE, seed));
      if (!step.isSequential()) cases.add(ladder(step, step.problem(2176, 4352, 512), GPU_ONLY, seed));
    }
    return cases;
  }

  private static Case ladder(LadderStep step, GemmProblem p, Set<String> backends, long seed) {
    return new Case("sm90_ladder", "sm90", "step=" + step.number() + " " + p.m() + "x" + p.n() + "x" + p.k(), backends,
        Price.of(p), () -> step.prepare(p), () -> inputs(p, seed), (in, out, architecture) -> compare(p, in, out,
        step.isSequential() ? "naive_gemm" : step == LadderStep.TENSOR_CORES ? "sm80_gemm" : "sm90_gemm",
        architecture));
  }

  private static Case hopper(GemmProblem problem, String order, Set<String> backends, long seed) {
    return hopper(problem, Sm90Gemms.configure(problem), config(problem, order), backends, seed);
  }

  /** A problem in a given configuration. */
  static Case hopper(GemmProblem p, Sm90GemmConfig config, String name, Set<String> backends, long seed) {
    return hopper(p, config, () -> Sm90Gemms.prepare(p, config), name, backends, seed);
  }

  /** A problem in a given configuration by a given launch, which may have another grid. */
  public static Case hopper(GemmProblem p, Sm90GemmConfig config, Supplier<PreparedLaunch> launch, String name,
      Set<String> backends, long seed) {
    return new Case("sm90_gemm", "sm90", name, backends, Price.of(p), launch, () -> inputs(p, seed),
        (in, out, architecture) -> compare(p, in, out, (reference, rows) ->
            p.types().accumulation() == Accumulation.F16 ? reference.onWarpgroups(ElementType.F16, rows)
            : reference.onWarpgroups(PartsOfK.of(p, config, launch.get().grid().x()), config.interval(p.k()), rows)));
  }

  /** Any kernel: operand orders, tails, a batch, factors and extents of none, as far as it computes them. */
  static List<Case> of(GemmKernel kernel, long seed) {
    var problems = new ArrayList<>(empty(ElementType.BF16, ElementType.BF16));
    for (var order : ORDERS) {
      problems.add(GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 264, 72, 1, order));
      problems.add(GemmProblem.packed(ElementType.BF16, ElementType.F32, 17, 33, 65, 1, order));
    }
    problems.add(GemmProblem.packed(ElementType.F16, ElementType.F32, 40, 24, 200, 3, "TN").scaled(0.5f, 2));
    return problems.stream().filter(p -> kernel.refusal(p).isEmpty()).map(p -> one(kernel, p, seed)).toList();
  }

  /** A problem that the kernel computes, in the configuration that it chooses. */
  public static Case one(GemmKernel kernel, GemmProblem p, long seed) {
    var arch = "sm" + kernel.target().capability();
    return new Case(kernel.name(), arch, config(p, order(p)), EVERYWHERE, Price.of(p),
        () -> kernel.prepare(p, EpilogueArguments.plain(p)), () -> inputs(p, seed),
        (in, out, architecture) -> compare(p, in, out, arch + "_gemm", architecture));
  }

  private static String order(GemmProblem p) {
    return (p.a().columnStride() == 1 ? "T" : "N") + (p.b().columnStride() == 1 ? "N" : "T");
  }

  /**
   * 8-bit floats by {@code mma.sync}: every order, which single copies transpose, tails, mixed types, a batch, factors,
   * extents of none, and a size for a GPU alone.
   *
   * @param kernel in the tiles of the GPU that is meant
   */
  static List<Case> bytes(GemmKernel kernel, long seed) {
    var cases = new ArrayList<Case>();
    var types = GemmTypes.of(ElementType.E4M3, ElementType.BF16);
    for (var order : ORDERS) {
      add(cases, kernel, GemmProblem.packed(types, 128, 136, 208, 1, order), order, EVERYWHERE, seed);
      add(cases, kernel, GemmProblem.packed(types, 17, 33, 65, 1, order), order, EVERYWHERE, seed);
      add(cases, kernel, GemmProblem.packed(types, 2176, 2304, 512, 1, order), order, GPU_ONLY, seed);
    }
    for (var a : List.of(ElementType.E4M3, ElementType.E5M2)) {
      for (var b : List.of(ElementType.E4M3, ElementType.E5M2)) {
        var mixed = new GemmTypes(a, b, ElementType.F32, Accumulation.FAST);
        add(cases, kernel, GemmProblem.packed(mixed, 72, 40, 148, 1, "TN"), "TN", EVERYWHERE, seed);
      }
    }
    add(cases, kernel, GemmProblem.packed(types, 96, 80, 200, 3, "TN").scaled(0.5f, 2), "TN", EVERYWHERE, seed);
    add(cases, kernel, GemmProblem.packed(types, 512, 512, 512, 1, "TN"), "TN", EVERYWHERE, seed);
    for (var problem : empty(ElementType.E4M3, ElementType.BF16)) {
      add(cases, kernel, problem, "TN", EVERYWHERE, seed);
    }
    return cases;
  }

  private static void add(List<Case> cases, GemmKernel kernel, GemmProblem problem, String order, Set<String> backends,
      long seed) {
    cases.add(gemm(kernel.name(), "sm" + kernel.target().capability(), problem,
        () -> kernel.prepare(problem, EpilogueArguments.plain(problem)), order, backends, seed));
  }

  public static Case gemm(String kernel, String arch, GemmProblem p, Supplier<PreparedLaunch> launch,
      String order, Set<String> backends, long seed) {
    return new Case(kernel, arch, config(p, order), backends, Price.of(p), launch, () -> inputs(p, seed),
        (in, out, architecture) -> compare(p, in, out, kernel, architecture));
  }

  static String config(GemmProblem p, String order) {
    var scale = (p.alpha() == 1 && p.beta() == 0 ? "" : " alpha=" + p.alpha() + " beta=" + p.beta())
        + (p.batch() == 1 ? "" : " batch=" + p.batch());
    return p.m() + "x" + p.n() + "x" + p.k() + " " + order + " " + p.types() + scale;
  }

  private static Map<String, MemorySegment> inputs(GemmProblem p, long seed) {
    long c = (long) p.m() * p.n() * p.batch();
    long shift = p.a().offset() / p.types().a().bytes();
    return Map.of("A", Buffers.normal(p.types().a(), (long) p.m() * p.k() * p.batch() + shift, seed),
        "B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * p.batch(), seed + 1),
        "C", p.beta() == 0 ? Buffers.poisoned(p.output(), c) : Buffers.normal(p.output(), c, seed + 2));
  }

  private static Verdict compare(GemmProblem p, Map<String, MemorySegment> in, Map<String, MemorySegment> out,
      String kernel, int architecture) {
    return compare(p, in, out, (reference, rows) -> switch (kernel) {
      case "naive_gemm" -> reference.sequential(rows);
      case "sm80_gemm", "sm89_gemm" -> reference.onTensorCores(architecture, p.types().accumulator(), rows);
      case "sm100_gemm" -> reference.inTensorMemory(rows);
      default -> switch (p.types().accumulation()) {
        case F16 -> reference.onWarpgroups(ElementType.F16, rows);
        case FAST -> reference.onWarpgroups(rows);
        case EXACT, SCALED -> p.types().isPromoted() ? reference.onWarpgroups(Accumulation.INTERVAL, rows)
            : reference.onWarpgroups(rows);
      };
    });
  }

  private static Verdict compare(GemmProblem p, Map<String, MemorySegment> in, Map<String, MemorySegment> out,
      BiFunction<GemmReference, int[], double[]> arithmetic) {
    var c = view(p.output(), in, p.c(), p.m(), p.n(), p.batch());
    var reference = new GemmReference(view(p.types().a(), in, p.a(), p.m(), p.k(), p.batch()),
        view(p.types().b(), in, p.b(), p.n(), p.k(), p.batch()), c, p.alpha(), p.beta());
    int[] rows = compared(p);
    var exact = reference.exact(rows);
    return verdict(p, out, rows, exact, arithmetic.apply(reference, rows));
  }

  /** C beside its reference, in some rows. */
  static Verdict verdict(GemmProblem p, Map<String, MemorySegment> out, int[] rows, double[] exact,
      double[] stepwise) {
    var ours = view(p.output(), out, p.c(), p.m(), p.n(), p.batch()).values();
    var comparison = Comparison.of(ours, exact, stepwise, p.output(), elements(p, rows));
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.of(comparison.bitExact()), comparison.violation());
  }

  /** All rows of C, or of a large one the first, the last, and some between, always the same. */
  static int[] compared(GemmProblem p) {
    if ((long) p.m() * p.n() * p.k() < LARGE) return IntStream.range(0, p.m()).toArray();
    var sampled = new SplittableRandom(7).ints(SAMPLED_ROWS, 0, p.m());
    return IntStream.concat(IntStream.of(0, p.m() - 1), sampled).distinct().toArray();
  }

  /** The elements of C in some rows. */
  static int[] elements(GemmProblem p, int[] rows) {
    return IntStream.range(0, p.n() * p.batch())
        .flatMap(column -> IntStream.of(rows).map(row -> row + p.m() * column)).toArray();
  }

  public static TensorView view(ElementType type, Map<String, MemorySegment> buffers, Matrix matrix, long rows,
      long columns, long batch) {
    var layout = new Layout(IntTuple.flat(rows, columns, batch),
        IntTuple.flat(matrix.rowStride(), matrix.columnStride(), matrix.batchStride()));
    return new TensorView(type, buffers.get(matrix.buffer()), matrix.offset(), layout);
  }
}
