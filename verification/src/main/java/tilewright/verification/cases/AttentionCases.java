package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.reference.ScoreRule;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm120.Sm120AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;
import tilewright.verification.backend.SimulatorBackend;

/** Attention: every feature on sizes with tails, unequal lengths and rows that see nothing. */
public final class AttentionCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");

  private AttentionCases() {}

  /**
   * A problem, what it does in Java, and the lengths of its sequences where they are packed.
   *
   * @param captured the numbers of captured tensors, by name
   */
  public record Setup(String name, AttentionProblem problem, AttentionCheck.Rules rules, int[] queries, int[] keys,
      Map<String, double[]> captured) {
    public Setup(String name, AttentionProblem problem, AttentionCheck.Rules rules, int[] queries, int[] keys) {
      this(name, problem, rules, queries, keys, Map.of());
    }

    public Setup(String name, AttentionProblem problem, AttentionCheck.Rules rules) {
      this(name, problem, rules, new int[0], new int[0]);
    }

    Setup named(String other) {
      return new Setup(other, problem, rules, queries, keys, captured);
    }
  }

  /** A kernel and how it is launched. */
  public record Architecture(AttentionKernel kernel, Function<AttentionProblem, PreparedLaunch> launch) {
    Architecture(AttentionKernel kernel) {
      this(kernel, kernel::prepare);
    }
  }

  public static final Architecture SM80 = new Architecture(new Sm80AttentionKernel());
  public static final Architecture SM89 = new Architecture(new Sm89AttentionKernel());
  public static final Architecture SM90 = new Architecture(new Sm90AttentionKernel());
  public static final Architecture SM90_MLA = new Architecture(new Sm90MlaDecodeKernel());
  public static final Architecture SM100 = new Architecture(new Sm100AttentionKernel());
  public static final Architecture SM120 = new Architecture(new Sm120AttentionKernel());

  /** Blackwell attention whose CTAs take tiles by {@code clusterlaunchcontrol.try_cancel}. */
  private static final Architecture CANCELLING = new Architecture(new Sm100AttentionKernel(true));

  /** @param kernel in the tiles of some GPU */
  static List<Case> sm80(AttentionKernel kernel, long seed) {
    var sm80 = new Architecture(kernel);
    var cases = cases(sm80, seed);
    cases.addAll(inTilesOf(sm80, seed, 32, 96, 128, 192, 256));
    wide().forEach(setup -> cases.add(makeCase(sm80, setup, EVERYWHERE, seed)));
    for (int dim : new int[] {96, 192, 512}) {
      cases.add(makeCase(sm80, ColumnMajorValues.of(band(ElementType.BF16, Sizes.of(1, 40, 70, 1, dim), Band.CAUSAL)),
          EVERYWHERE, seed));
    }
    return cases;
  }

  /** Few queries on caches, and the other problems that the kernel supports. */
  static List<Case> decoding(AttentionKernel kernel, long seed) {
    var decoding = new Architecture(kernel);
    var caches = DecodedCaches.setups().stream().map(setup -> inLaunches(decoding, setup, seed)).toList();
    var cases = after(band(ElementType.BF16, new Sizes(1, 1, 500, 2, 1, 64, 64), Band.ALL), decoding, seed);
    cases.addAll(1, caches);
    return cases;
  }

  /** Few queries on caches of latent rows. */
  static List<Case> latent(AttentionKernel kernel, long seed) {
    var latent = new Architecture(kernel);
    var simulated = LatentAttention.setups().stream().map(setup -> inLaunches(latent, setup, seed));
    var others = Stream.concat(Stream.of(LatentAttention.forQuickSuite()), LatentAttention.large().stream())
        .map(setup -> inLaunches(latent, setup, GPU_ONLY, seed));
    return Stream.concat(simulated, others).toList();
  }

  /** Few queries on caches of latent rows, with what other attention may have besides, and before these small ones. */
  static List<Case> anyLatent(AttentionKernel kernel, long seed) {
    var latent = new Architecture(kernel);
    var further = LatentAttention.further().stream().map(setup -> inLaunches(latent, setup, seed));
    return Stream.concat(further, latent(kernel, seed).stream()).toList();
  }

  static List<Case> sm89(AttentionKernel kernel, long seed) {
    var setup = forQuickSuite();
    return after(QuantizedAttention.quantized(setup, AttentionProblem.Quantized.perHead(ElementType.BF16,
        setup.problem.sizes())), new Architecture(kernel), seed);
  }

  /** A problem so small that it suits the quick suite as the first one that only a GPU runs. */
  private static Setup forQuickSuite() {
    return band(ElementType.BF16, new Sizes(1, 200, 300, 2, 1, 64, 64), Band.CAUSAL);
  }

  /** The problems that a kernel supports, behind one that only a GPU runs. */
  private static List<Case> after(Setup first, Architecture architecture, long seed) {
    var cases = new ArrayList<>(List.of(makeCase(architecture, first, GPU_ONLY, seed)));
    cases.addAll(cases(architecture, seed));
    return cases;
  }

  static List<Case> sm90(long seed) {
    var cases = cases(SM90, seed);
    // Heads in one tile: of sequences of different lengths, and with queries for more than a tile.
    for (var setup : List.of(packed(8, 2), band(ElementType.BF16, new Sizes(1, 70, 140, 8, 2, 64, 64), Band.CAUSAL))) {
      cases.add(makeCase(SM90, setup, EVERYWHERE, seed));
    }
    cases.addAll(inTilesOf(SM90, seed, 96, 128, 192, 256));
    CachedAttention.setups().forEach(setup -> cases.add(inLaunches(SM90, setup, seed)));
    return cases;
  }

  /** The variants that use the most registers, for each head dimension. */
  private static List<Case> inTilesOf(Architecture architecture, long seed, int... dims) {
    return Arrays.stream(dims).boxed().flatMap(dim -> Stream.of(AttentionMods.all(dim), packed(dim)))
        .map(setup -> makeCase(architecture, setup, EVERYWHERE, seed)).toList();
  }

  /** All problems, and besides two query tiles per CTA and tiles from cancelled launches. */
  static List<Case> sm100(AttentionKernel kernel, long seed) {
    var sm100 = new Architecture(kernel);
    var cases = after(forQuickSuite(), sm100, seed);
    cases.add(makeCase(sm100, band(ElementType.BF16, new Sizes(1, 300, 260, 2, 1, 128, 128), Band.ALL), EVERYWHERE,
        seed));
    for (int dim : new int[] {96, 128}) {
      cases.add(makeCase(sm100, AttentionMods.all(dim), EVERYWHERE, seed));
      cases.add(makeCase(sm100, packed(dim), EVERYWHERE, seed));
    }
    for (var setup : List.of(band(ElementType.BF16, new Sizes(1, 300, 130, 3, 1, 64, 64), Band.CAUSAL), packed(2, 2),
        AttentionMods.all(128))) {
      cases.add(makeCase(CANCELLING, setup.named(setup.name + ", cancelled launches"), EVERYWHERE, seed));
    }
    return cases;
  }

  /** All problems in mxf8, and besides two dimensions of which one has fewer tiles of scales. */
  public static List<Case> sm120(long seed) {
    var cases = after(Mxf8Attention.scaled(forQuickSuite()), SM120, seed);
    for (var sizes : List.of(new Sizes(1, 40, 70, 1, 1, 64, 192), new Sizes(1, 40, 70, 2, 1, 144, 48))) {
      cases.add(makeCase(SM120, Mxf8Attention.scaled(band(ElementType.BF16, sizes, Band.CAUSAL)), EVERYWHERE, seed));
    }
    return cases;
  }

  /** The problems that a kernel supports. */
  static List<Case> cases(Architecture architecture, long seed) {
    var cases = new ArrayList<Case>();
    Predicate<Setup> supported = s -> architecture.kernel.refusal(s.problem).isEmpty();
    Stream.of(small(), QuantizedAttention.small(), Mxf8Attention.small(), ColumnMajorValues.small())
        .flatMap(List::stream).filter(supported).forEach(s -> cases.add(makeCase(architecture, s, EVERYWHERE, seed)));
    Stream.of(large(), QuantizedAttention.large(), Mxf8Attention.large()).flatMap(List::stream).filter(supported)
        .forEach(s -> cases.add(makeCase(architecture, s, GPU_ONLY, seed)));
    return cases;
  }

  /** Problems small enough for the simulator. */
  public static List<Setup> small() {
    var all = new ArrayList<Setup>();
    for (int dim : new int[] {32, 64, 96, 128, 192, 256}) {
      all.add(band(ElementType.BF16, Sizes.of(1, 65, 129, 1, dim), Band.CAUSAL));
    }
    all.add(band(ElementType.F16, Sizes.of(2, 130, 70, 2, 64), Band.ALL));
    all.add(band(ElementType.F16, new Sizes(1, 77, 131, 4, 2, 40, 40), Band.window(40, 3)));
    all.add(band(ElementType.BF16, Sizes.of(1, 150, 20, 1, 64), Band.CAUSAL));
    all.add(band(ElementType.BF16, Sizes.of(1, 3, 1, 1, 64), Band.window(0, 0)));
    all.add(band(ElementType.BF16, Sizes.of(1, 30, 50, 1, 36), Band.CAUSAL));
    all.add(band(ElementType.F16, new Sizes(1, 20, 30, 1, 1, 33, 21), Band.ALL));
    all.add(band(ElementType.BF16, new Sizes(1, 70, 140, 2, 1, 192, 128), Band.ALL));
    // The heads of latent attention before its absorption, in prefill behind a prefix.
    all.add(band(ElementType.BF16, new Sizes(1, 66, 134, 2, 2, 192, 128), Band.CAUSAL));
    // Few queries: heads that read the same keys may share a tile.
    all.add(band(ElementType.BF16, new Sizes(2, 5, 70, 8, 2, 64, 64), Band.CAUSAL));
    all.add(band(ElementType.F16, new Sizes(1, 1, 150, 5, 1, 128, 128), Band.ALL));
    all.add(softcap());
    all.add(packed(2, 2));
    all.add(packed(6, 2));
    all.add(views());
    all.add(headsApart());
    all.addAll(AttentionMods.setups());
    all.addAll(AttentionMods.listed());
    all.addAll(CapturedMods.setups());
    all.addAll(AttentionSinks.setups());
    all.addAll(ApartStatistics.setups());
    all.addAll(empty());
    return all;
  }

  /** Head dimensions that only FFPA has: two warps that share rows and four, and queries that see no keys. */
  static List<Setup> wide() {
    return List.of(band(ElementType.BF16, Sizes.of(1, 65, 129, 1, 320), Band.CAUSAL),
        band(ElementType.F16, Sizes.of(2, 70, 30, 1, 576), Band.CAUSAL), packed(320), AttentionMods.all(320),
        AttentionSinks.with(band(ElementType.BF16, Sizes.of(1, 40, 70, 2, 320), Band.CAUSAL)),
        ApartStatistics.with(band(ElementType.BF16, Sizes.of(1, 65, 30, 1, 320), Band.CAUSAL)));
  }

  /** Further problems of {@link #wide} head dimensions; the last ones are copied element by element. */
  public static List<Setup> furtherWide() {
    return List.of(band(ElementType.BF16, Sizes.of(1, 40, 0, 1, 320), Band.CAUSAL), packed(2, 2, 272),
        band(ElementType.F16, new Sizes(1, 77, 131, 4, 2, 300, 300), Band.window(40, 3)),
        band(ElementType.BF16, new Sizes(1, 33, 70, 2, 1, 512, 264), Band.ALL),
        band(ElementType.F16, Sizes.of(1, 65, 97, 1, 512), Band.CAUSAL),
        band(ElementType.BF16, Sizes.of(1, 40, 100, 1, 1024), Band.window(20, 0)),
        band(ElementType.BF16, new Sizes(1, 20, 30, 1, 1, 261, 257), Band.CAUSAL));
  }

  /** No queries, no batch entry, no heads, no sequences: nothing to write; and no keys: nothing that is seen. */
  static List<Setup> empty() {
    var all = new ArrayList<Setup>();
    for (var sizes : List.of(Sizes.of(1, 0, 70, 2, 64), Sizes.of(0, 40, 70, 2, 64), Sizes.of(2, 40, 70, 0, 64),
        new Sizes(1, 40, 70, 0, 2, 64, 64), Sizes.of(2, 40, 0, 1, 64))) {
      all.add(band(ElementType.BF16, sizes, Band.ALL));
      all.add(band(ElementType.BF16, sizes, Band.CAUSAL));
    }
    all.add(new Setup("packed", AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 0, 0, 2, 64))
        .with(new Packed("cuQ", "cuK", 0, 0)), (_, q, k) -> ScoreRule.NONE));
    all.addAll(AttentionMods.empty());
    return all;
  }

  /** Problems that only a GPU computes in reasonable time. */
  static List<Setup> large() {
    var all = new ArrayList<Setup>();
    for (int dim : new int[] {64, 128, 256, 320}) {
      for (var band : List.of(Band.ALL, Band.CAUSAL)) {
        all.add(band(ElementType.BF16, new Sizes(1, 511, 512, 4, 2, dim, dim), band));
      }
    }
    return all;
  }

  public static Setup band(ElementType type, Sizes s, Band band) {
    var p = AttentionProblem.dense(type, s).with(band);
    var name = band.isAll() ? "full" : band.equals(Band.CAUSAL) ? "causal" : "window";
    return new Setup(name, p, (_, q, k) -> rule(band, q, k));
  }

  static ScoreRule rule(Band band, int queries, int keys) {
    return ScoreRule.window(queries, keys, band.left().orElse(Integer.MAX_VALUE / 2),
        band.right().orElse(Integer.MAX_VALUE / 2));
  }

  private static Setup softcap() {
    var p = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 70, 90, 1, 64)).with(Band.CAUSAL)
        .with(new Modification(Optional.of(ScoreMod.softcap(1.5f)), Optional.empty()));
    return new Setup("softcap", p, (_, q, k) -> rule(Band.CAUSAL, q, k).and(ScoreRule.softcap(1.5)));
  }

  /** Sequences of different lengths, some of them empty. */
  static Setup packed(int heads, int keyHeads) {
    return packed(heads, keyHeads, 64);
  }

  static Setup packed(int heads, int keyHeads, int dim) {
    boolean few = heads > keyHeads;
    int[] queries = few ? new int[] {3, 0, 1, 30} : new int[] {70, 0, 1, 129, 33};
    int[] keys = few ? new int[] {70, 5, 0, 64} : new int[] {20, 5, 0, 140, 64};
    var sizes = new Sizes(1, Arrays.stream(queries).sum(), Arrays.stream(keys).sum(), heads, keyHeads, dim, dim);
    var p = AttentionProblem.dense(ElementType.BF16, sizes).with(Band.CAUSAL)
        .with(new Packed("cuQ", "cuK", queries.length, Arrays.stream(queries).max().getAsInt()));
    return new Setup("packed", p, (_, q, k) -> rule(Band.CAUSAL, q, k), queries, keys);
  }

  /** Two short sequences with a window, in the tiles of a head dimension. */
  static Setup packed(int dim) {
    int[] queries = {67, 30};
    int[] keys = {40, 71};
    var band = Band.window(20, 4);
    var p = AttentionProblem.dense(ElementType.F16, Sizes.of(1, 97, 111, 1, dim)).with(band)
        .with(new Packed("cuQ", "cuK", queries.length, 67));
    return new Setup("packed window", p, (_, q, k) -> rule(band, q, k), queries, keys);
  }

  /** Q, K and V side by side in one tensor, O with its heads apart. */
  static Setup views() {
    var s = Sizes.of(2, 66, 66, 2, 64);
    var p = AttentionProblem.dense(ElementType.BF16, s).at(View.packedQkv("QKV", 0, 66, 2, 64, 2),
        View.packedQkv("QKV", 1, 66, 2, 64, 2), View.packedQkv("QKV", 2, 66, 2, 64, 2), View.bhsd("O", 66, 2, 64));
    return new Setup("packed qkv, bhsd out", p, (_, q, k) -> ScoreRule.NONE);
  }

  /** Each head by itself, and nobody wants the logarithms. */
  static Setup headsApart() {
    var s = new Sizes(2, 40, 70, 4, 2, 64, 64);
    var p = AttentionProblem.dense(ElementType.F16, s).at(View.bhsd("Q", 40, 4, 64), View.bhsd("K", 70, 2, 64),
        View.bhsd("V", 70, 2, 64), View.bhsd("O", 40, 4, 64)).with(Band.CAUSAL).withLogarithms(Optional.empty());
    return new Setup("bhsd, no logarithms", p, (_, q, k) -> rule(Band.CAUSAL, q, k));
  }

  public static Case makeCase(Architecture architecture, Setup setup, Set<String> backends, long seed) {
    var s = setup.problem.sizes();
    var config = setup.name + " " + QuantizedAttention.types(setup.problem) + " B=" + s.batch() + " Sq=" + s.queries()
        + " Sk=" + s.keys() + " H=" + s.heads() + " Hk=" + s.keyHeads() + " D=" + s.headDim();
    var kernel = architecture.kernel;
    return new Case(kernel.name(), kernel.arch(), config, backends, Price.of(setup.problem),
        () -> architecture.launch.apply(setup.problem), () -> buffers(kernel, setup, seed),
        (in, out, _) -> AttentionCheck.compare(setup.problem, setup.rules, in, out, tensorCores(kernel),
            kernel.anticipates(setup.problem)));
  }

  /** A problem in the launches that are fastest, perhaps with split keys. */
  static Case inLaunches(Architecture architecture, Setup setup, long seed) {
    return inLaunches(architecture, setup, EVERYWHERE, seed);
  }

  private static Case inLaunches(Architecture architecture, Setup setup, Set<String> backends, long seed) {
    var one = makeCase(architecture, setup, backends, seed);
    return new Case(one.kernel(), one.arch(), one.config(), one.backends(), one.price(),
        () -> architecture.kernel.launches(setup.problem), one.inputs(), one.check(), true);
  }

  /** The tensor cores that make a kernel's sums. */
  public static TensorCores tensorCores(AttentionKernel kernel) {
    return switch (kernel.arch()) {
      case "sm89" -> TensorCores.SM89;
      case "sm90" -> TensorCores.SM90;
      case "sm100", "sm120" -> TensorCores.SM100;
      default -> TensorCores.FP32;
    };
  }

  /** Fresh buffers for a problem of the SM80 kernel. */
  public static Map<String, MemorySegment> buffers(Setup setup, long seed) {
    return buffers(SM80.kernel, setup, seed);
  }

  /** Fresh buffers for a problem: inputs drawn, outputs poisoned. */
  public static Map<String, MemorySegment> buffers(AttentionKernel kernel, Setup setup, long seed) {
    var p = setup.problem;
    var s = p.sizes();
    long queries = (long) s.batch() * s.queries() * s.heads();
    long keys = (long) s.batch() * s.keys() * s.keyHeads();
    var buffers = new HashMap<String, MemorySegment>();
    if (p.q().buffer().equals(p.k().buffer())) {
      buffers.put(p.q().buffer(), Buffers.normal(p.type(), 3 * queries * s.headDim(), seed));
    } else {
      buffers.put(p.q().buffer(), Buffers.normal(p.type(), queries * s.headDim(), seed));
      buffers.put(p.k().buffer(), Buffers.normal(p.cacheType(), keys * s.headDim(), seed + 1));
      if (!p.isLatent()) buffers.put(p.v().buffer(), ColumnMajorValues.draw(p, seed + 2));
    }
    buffers.put(p.o().buffer(), Buffers.poisoned(p.outputType(), queries * s.valueDim()));
    p.quantized().ifPresent(quantized -> {
      if (quantized.blockScaled()) Mxf8Attention.drawScales(setup, buffers, seed + 3);
      else QuantizedAttention.drawFactors(p, quantized, buffers, seed + 3);
    });
    p.serving().codes().ifPresent(codes -> CachedAttention.drawFactors(p, codes, buffers, seed + 3));
    p.lse().ifPresent(lse -> buffers.put(lse.buffer(), Buffers.poisoned(ElementType.F32, queries)));
    ApartStatistics.poison(p, buffers);
    buffers.put(Sm90AttentionKernel.COUNTER, Buffers.zeros(ElementType.I32, 1));
    capture(setup, buffers);
    lengths(setup, buffers);
    CachedAttention.fill(setup, buffers, seed + 4);
    p.sinks().ifPresent(name -> buffers.put(name, AttentionSinks.draw(s.heads(), seed + 5)));
    if (p.blockMask()) blockMask(kernel.blockMask(p), buffers);
    return buffers;
  }

  /** Adds the tensors that functions read. */
  static void capture(Setup setup, Map<String, MemorySegment> buffers) {
    var tensors = setup.problem.modification().captures().tensors();
    setup.captured.forEach((name, values) -> buffers.put(name, Buffers.of(tensors.get(name).tensor().type(), values)));
  }

  /** Adds the cumulated lengths of packed sequences. */
  static void lengths(Setup setup, Map<String, MemorySegment> buffers) {
    setup.problem.packed().ifPresent(packed -> {
      buffers.put(packed.queries(), cumulated(setup.queries));
      buffers.put(packed.keys(), cumulated(setup.keys));
    });
  }

  /** Lists of blocks, made by their kernel on the simulator. */
  private static void blockMask(BlockMask mask, Map<String, MemorySegment> buffers) {
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    var outcome = new SimulatorBackend(1).run(mask.prepare().on(buffers));
    if (!outcome.findings().isEmpty()) throw new IllegalStateException(outcome.findings().getFirst());
  }

  private static MemorySegment cumulated(int[] lengths) {
    var buffer = Buffers.poisoned(ElementType.I32, lengths.length + 1L);
    int sum = 0;
    for (int i = 0; i <= lengths.length; i++) {
      buffer.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, sum);
      if (i < lengths.length) sum += lengths[i];
    }
    return buffer;
  }
}
