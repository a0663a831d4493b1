package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;

/** Attention's gradients: every feature on sizes with tails, unequal lengths and rows that see nothing. */
public final class AttentionBackwardCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");
  /** The widest head dimension whose tiles of Q and dO every GPU holds twice. */
  private static final int WIDEST_ON_ANY_GPU = 192;

  private AttentionBackwardCases() {}

  /** A problem, and the forward pass whose gradients it asks for. */
  public record Setup(AttentionCases.Setup forward, AttentionBackwardProblem problem) {
    Setup(AttentionCases.Setup forward) {
      this(forward, AttentionBackwardProblem.dense(forward.problem()));
    }

    private Setup at(Function<AttentionBackwardProblem, AttentionBackwardProblem> change) {
      return new Setup(forward, change.apply(problem));
    }

    Setup deterministic() {
      return at(p -> p.deterministic(true));
    }

    /** The extents and features in words. */
    public String config() {
      var s = problem.forward().sizes();
      return forward.name() + (problem.deterministic() ? " deterministic " : " ") + problem.forward().type().text()
          + " B=" + s.batch() + " Sq=" + s.queries() + " Sk=" + s.keys() + " H=" + s.heads() + " Hk=" + s.keyHeads()
          + " D=" + s.headDim() + (s.headDim() == s.valueDim() ? "" : " Dv=" + s.valueDim());
    }

    @Override
    public String toString() {
      return config();
    }
  }

  /** The gradients of a forward pass, added up in a fixed order or in any. */
  public static Setup setup(AttentionCases.Setup forward, boolean deterministic) {
    return deterministic ? new Setup(forward).deterministic() : new Setup(forward);
  }

  /** The problems that a kernel supports. */
  public static List<Case> cases(AttentionBackwardKernel kernel, long seed) {
    var cases = new ArrayList<Case>();
    small().stream().filter(s -> kernel.refusal(s.problem).isEmpty())
        .forEach(s -> cases.add(makeCase(kernel, s, seed)));
    var onHopper = kernel.on(Target.SM90A.capability());
    if (!onHopper.equals(kernel)) {
      small().stream().filter(s -> s.problem.forward().largestDim() > WIDEST_ON_ANY_GPU)
          .forEach(s -> cases.add(makeCase(onHopper, s, seed).on("sm90")));
    }
    AttentionCases.large().stream().map(Setup::new).flatMap(s -> Stream.of(s, s.deterministic()))
        .filter(s -> kernel.refusal(s.problem).isEmpty())
        .forEach(s -> cases.add(makeCase(kernel, s, GPU_ONLY, seed)));
    return cases;
  }

  /** Problems small enough for the simulator. */
  public static List<Setup> small() {
    var all = new ArrayList<Setup>();
    // Where every query sees one key or none, dP − D is 0: no error in FP32 to measure others by.
    AttentionCases.small().stream().filter(s -> s.problem().lse().isPresent())
        .filter(s -> s.problem().sizes().keys() != 1 && s.problem().sinks().isEmpty())
        .map(Setup::new).forEach(all::add);
    // Several tiles of queries and blocks of keys, which add to the same tiles of dQ.
    for (var band : List.of(Band.ALL, Band.CAUSAL, Band.window(100, 30))) {
      var many = new Setup(AttentionCases.band(ElementType.BF16, new Sizes(1, 270, 290, 2, 1, 64, 64), band));
      all.add(many);
      all.add(many.deterministic());
    }
    all.add(new Setup(AttentionCases.band(ElementType.F16, new Sizes(2, 200, 200, 3, 1, 128, 128), Band.CAUSAL))
        .deterministic());
    all.add(new Setup(AttentionCases.band(ElementType.BF16, Sizes.of(1, 130, 140, 1, 256), Band.ALL)).deterministic());
    all.add(new Setup(AttentionCases.packed(2, 2)).deterministic());
    AttentionMods.listed().forEach(listed -> all.add(new Setup(listed).deterministic()));
    // Blocks of 256 keys, of which a pair of CTAs has one half each, or the first CTA all that there are.
    all.add(new Setup(AttentionCases.band(ElementType.BF16, Sizes.of(1, 200, 300, 1, 128), Band.window(100, 30))));
    all.add(new Setup(AttentionCases.packed(1, 1, 128)).deterministic());
    all.add(new Setup(AttentionCases.packed(96)));
    // Many heads of queries on one of keys, whose tiles some kernels walk side by side.
    all.add(new Setup(AttentionCases.band(ElementType.BF16, new Sizes(2, 130, 150, 8, 1, 128, 128), Band.CAUSAL)));
    all.add(new Setup(AttentionCases.packed(8, 1, 128)));
    all.add(inOneTensor());
    all.add(headsApart());
    all.add(strided());
    return all;
  }

  /** The gradients side by side in one tensor, as Q, K and V are; dO with its heads apart. */
  private static Setup inOneTensor() {
    return new Setup(AttentionCases.views()).at(p -> p.at(View.bhsd("dO", 66, 2, 64),
        View.packedQkv("dQKV", 0, 66, 2, 64, 2), View.packedQkv("dQKV", 1, 66, 2, 64, 2),
        View.packedQkv("dQKV", 2, 66, 2, 64, 2)));
  }

  /** Each head by itself. */
  private static Setup headsApart() {
    var forward = AttentionCases.headsApart();
    var lse = Optional.of(new View("LSE", 0, 4 * 40, 1, 40, 1));
    return new Setup(new AttentionCases.Setup("bhsd", forward.problem().withLogarithms(lse), forward.rules()))
        .at(p -> p.at(View.bhsd("dO", 40, 4, 64), View.bhsd("dQ", 40, 4, 64), View.bhsd("dK", 70, 2, 64),
            View.bhsd("dV", 70, 2, 64)));
  }

  /** Rows of odd lengths at odd places, and head dimensions whose elements lie apart. */
  private static Setup strided() {
    var forward = AttentionCases.band(ElementType.BF16, Sizes.of(1, 70, 90, 2, 32), Band.CAUSAL);
    return new Setup(forward).at(p -> p.at(new View("dO", 2, 0, 67, 33, 1), new View("dQ", 0, 0, 128, 64, 2),
        new View("dK", 6, 0, 65, 33, 1), new View("dV", 0, 0, 1, 90 * 32, 90)));
  }

  /** A case small enough for the simulator. */
  public static Case makeCase(AttentionBackwardKernel kernel, Setup setup, long seed) {
    return makeCase(kernel, setup, EVERYWHERE, seed);
  }

  private static Case makeCase(AttentionBackwardKernel kernel, Setup setup, Set<String> backends, long seed) {
    return new Case(kernel.name(), kernel.arch(), setup.config(), backends,
        Price.ofGradients(setup.problem.forward().sizes()), () -> kernel.prepare(setup.problem),
        () -> buffers(kernel, setup, seed),
        (in, out, _) -> AttentionBackwardCheck.compare(setup.problem, setup.forward.rules(), in, out),
        setup.problem.deterministic());
  }

  /** Fresh buffers for a problem, and the lists of tiles of a kernel that skips others. */
  public static Map<String, MemorySegment> buffers(AttentionBackwardKernel kernel, Setup setup, long seed) {
    var buffers = buffers(setup, seed);
    if (!setup.problem.forward().blockMask()) return buffers;
    var mask = kernel.tileMask(setup.problem);
    mask.elements().forEach((name, count) -> buffers.put(name, Buffers.poisoned(ElementType.I32, count)));
    for (var launch : mask.launches()) {
      var outcome = new SimulatorBackend(1).run(launch.on(buffers));
      if (!outcome.findings().isEmpty()) throw new IllegalStateException(outcome.findings().getFirst());
    }
    return buffers;
  }

  /** Fresh buffers for a problem: inputs drawn, O and LSE by the reference step by step, outputs poisoned. */
  public static Map<String, MemorySegment> buffers(Setup setup, long seed) {
    var p = setup.problem;
    var forward = p.forward();
    var buffers = new HashMap<String, MemorySegment>();
    AttentionCases.lengths(setup.forward, buffers);
    AttentionCases.capture(setup.forward, buffers);
    elements(p).forEach((name, count) -> buffers.put(name, Buffers.poisoned(forward.type(), count)));
    var inputs = new HashSet<String>();
    for (var view : List.of(forward.q(), forward.k(), forward.v(), p.dO())) {
      if (inputs.add(view.buffer())) {
        long count = elements(p).get(view.buffer());
        buffers.put(view.buffer(), Buffers.normal(forward.type(), count, seed + inputs.size()));
      }
    }
    var s = forward.sizes();
    var lse = forward.lse().orElseThrow();
    buffers.put(lse.buffer(), Buffers.poisoned(ElementType.F32, (long) s.batch() * s.queries() * s.heads()));
    var sequences = AttentionSequence.of(forward, buffers);
    for (int i = 0; i < sequences.size(); i++) {
      var sequence = sequences.get(i);
      var rule = setup.forward.rules().of(i, sequence.queries(), sequence.keys());
      // The reference's own rounded O: D of another rounding would be another computation.
      var result = sequence.reference(rule, buffers).stepwise();
      var o = sequence.ofQueries(forward.o(), s.valueDim(), buffers);
      for (int e = 0; e < result.o().length; e++) o.set(e, result.o()[e]);
      var logarithms = sequence.logarithms(lse, buffers);
      for (int e = 0; e < result.lse().length; e++) logarithms.set(e, result.lse()[e]);
    }
    return buffers;
  }

  /** The elements of each buffer of 16-bit elements: up to the last of every tensor in it. */
  private static Map<String, Long> elements(AttentionBackwardProblem p) {
    var s = p.forward().sizes();
    var counts = new HashMap<String, Long>();
    var f = p.forward();
    Stream.of(f.q(), p.dQ()).forEach(v -> add(counts, f, v, s.queries(), s.heads(), s.headDim()));
    Stream.of(f.o(), p.dO()).forEach(v -> add(counts, f, v, s.queries(), s.heads(), s.valueDim()));
    Stream.of(f.k(), p.dK()).forEach(v -> add(counts, f, v, s.keys(), s.keyHeads(), s.headDim()));
    Stream.of(f.v(), p.dV()).forEach(v -> add(counts, f, v, s.keys(), s.keyHeads(), s.valueDim()));
    return counts;
  }

  private static void add(Map<String, Long> counts, AttentionProblem p, View v, int rows, int heads, int dim) {
    int batch = p.sizes().batch();
    boolean none = batch == 0 || rows == 0 || heads == 0;
    long count = none ? 0 : v.offset() / p.type().bytes() + (batch - 1) * v.batch() + (rows - 1) * v.sequence()
        + (heads - 1) * v.head() + (dim - 1) * v.dim() + 1;
    counts.merge(v.buffer(), count, Math::max);
  }
}
