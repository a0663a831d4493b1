package tilewright.verification.mutation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.Warp;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.TensorView;

/**
 * The launch that merges splits of the keys with one thing wrong: each mistake changes a result, or is a finding. The
 * check is the definition in FP64.
 */
class StateMergeMutationTest {
  private static final double TOLERANCE = 1e-2;
  private static final double LOG_TOLERANCE = 1e-5;
  private static final String SINKS = "sinkLogits";
  private static final int WARPS = 8;
  /** States that a warp reads at once. */
  private static final int TOGETHER = 4;
  private static final Pattern COMPARISON = Pattern.compile("setp\\.lt\\.s32 %p\\d+, (%r\\d+), (%r\\d+);");
  private static final Pattern REPETITION = Pattern.compile("add\\.s32 (%r\\d+), \\1, (32|4);");

  /** Splits for one warp, and more than eight read at once, for vectors of fewer lanes than a warp and of more. */
  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    // One warp's barrier is for results in a state's place, which those of splits are not.
    return Stream.concat(
        tests(Stream.of(trial(dense(64), 3), trial(dense(24).withLogarithms(Optional.empty()), 1)),
            Flaw.LATE_GRID_WAIT, Flaw.LOOSER_BOUND),
        tests(Stream.of(trial(dense(64).withSinks(SINKS), 46),
            trial(dense(136).with(Apart.dense(dense(136).sizes())), 54), trial(dense(64), 62)),
            Flaw.MISSING_BARRIER, Flaw.LATE_GRID_WAIT, Flaw.LOOSER_BOUND));
  }

  private static Stream<DynamicContainer> tests(Stream<MutationTrial> trials, Flaw... flaws) {
    return trials.map(trial -> DynamicContainer.dynamicContainer(
        trial.launch().kernel().name() + " of " + trial.launch().grid(), trial.tests(flaws)));
  }

  /**
   * A looser bound that no split reaches, or that another makes up for. Loops over the logarithms, the first two, have
   * steps of 32 and begin at the lane, so that an entry is too late from 32 splits on and a repetition below. Those
   * over O begin at the warp and read three more splits, each as many on as there are warps; whether the first of an
   * iteration exists is asked before it, in it and behind it.
   */
  private static boolean changesNothing(PreparedLaunch launch, Mutant mutant, int splits) {
    int warps = splits <= WARPS ? 1 : WARPS;
    var compared = COMPARISON.matcher(mutant.change());
    if (!mutant.change().startsWith("loosened") || !compared.find()) return false;
    var ptx = launch.kernel().ptx();
    var counters = REPETITION.matcher(ptx).results().map(loop -> loop.group(1)).toList();
    boolean enters = !counters.contains(compared.group(1));
    var loop = counters.stream().filter(counter -> counter.equals(compared.group(1))
        || ptx.contains("mov.b32 " + counter + ", " + compared.group(1) + ";")).findFirst();
    if (loop.isEmpty()) return false;
    if (counters.indexOf(loop.get()) < 2) return enters == splits >= Warp.SIZE;
    var bounds = COMPARISON.matcher(ptx).results().filter(c -> c.group(1).equals(loop.get())).map(c -> c.group(2))
        .distinct().toList();
    int ahead = warps * bounds.indexOf(compared.group(2));
    return enters || ahead == 0 || splits < ahead || (splits - ahead) % (TOGETHER * warps) >= warps;
  }

  private static AttentionProblem dense(int valueDim) {
    return AttentionProblem.dense(ElementType.BF16, new Sizes(2, 3, 1, 4, 2, 64, valueDim));
  }

  private static MutationTrial trial(AttentionProblem p, int splits) {
    var states = PartialStates.ofSplits(p, splits);
    var buffers = buffers(p, states);
    var launch = StateMerge.prepare(p, states, Target.SM90A);
    // With CTAs that have no row, so that the bounds on rows matter.
    return MutationTrial.onCopies(launch, buffers).on(new Dim3(4, 5, 3)).withSeeds(3)
        .exceptFor(mutant -> changesNothing(launch, mutant, splits))
        .withCheck(after -> wrong(p, splits, buffers, after));
  }

  /** Every fifth state, and all of one row, are empty: their logarithm is −∞, and O no number. */
  private static Map<String, MemorySegment> buffers(AttentionProblem p, PartialStates states) {
    var s = p.sizes();
    int rows = s.queries() * s.heads() * s.batch();
    var random = new Random(7);
    var o = new float[rows * s.valueDim() * states.count()];
    var lse = new float[rows * states.count()];
    for (int state = 0; state < lse.length; state++) {
      boolean empty = state % 5 == 4 || state % rows == 1;
      lse[state] = empty ? Float.NEGATIVE_INFINITY : (float) (20 + 5 * random.nextGaussian());
      for (int d = 0; d < s.valueDim(); d++) {
        o[state * s.valueDim() + d] = empty ? Float.NaN : (float) random.nextGaussian();
      }
    }
    var buffers = new HashMap<>(Map.of("partialO", MemorySegment.ofArray(o), "partialLSE", MemorySegment.ofArray(lse),
        "O", MemorySegment.ofArray(new short[rows * s.valueDim()]).fill((byte) 0xFF)));
    p.lse().ifPresent(_ -> buffers.put("LSE", MemorySegment.ofArray(new float[rows]).fill((byte) 0xFF)));
    p.apart().ifPresent(places -> putApart(places, lse, rows, buffers));
    p.sinks().ifPresent(name -> buffers.put(name, MemorySegment.ofArray(new float[] {20, 60, -3,
        Float.NEGATIVE_INFINITY})));
    return buffers;
  }

  /** Maxima below the logarithms, by what the sums make up for. */
  private static void putApart(Apart places, float[] lse, int rows, Map<String, MemorySegment> buffers) {
    var maxima = new float[lse.length];
    var sums = new float[lse.length];
    for (int state = 0; state < lse.length; state++) {
      int below = state % 4;
      maxima[state] = lse[state] - below;
      sums[state] = lse[state] == Float.NEGATIVE_INFINITY ? 0 : (float) Math.exp(below);
    }
    buffers.put("partialMaxima", MemorySegment.ofArray(maxima));
    buffers.put("partialSums", MemorySegment.ofArray(sums));
    for (var view : List.of(places.maxima(), places.sums())) {
      buffers.put(view.buffer(), MemorySegment.ofArray(new float[rows]).fill((byte) 0xFF));
    }
  }

  private static Optional<String> wrong(AttentionProblem p, int splits, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out) {
    var s = p.sizes();
    int rows = s.queries() * s.heads() * s.batch();
    var results = new TensorView(ElementType.BF16, out.get("O"), Layout.of((long) rows * s.valueDim(), 1));
    for (int row = 0; row < rows; row++) {
      int query = row % s.queries();
      int head = row / s.queries() % s.heads();
      int batch = row / s.queries() / s.heads();
      double[] logs = new double[splits];
      for (int split = 0; split < splits; split++) logs[split] = single(in.get("partialLSE"), row + split * rows);
      double sink = p.sinks().map(name -> (double) single(in.get(name), head)).orElse(Double.NEGATIVE_INFINITY);
      double sum = Math.exp(sink);
      for (double log : logs) sum += Math.exp(log);
      var lse = Math.log(sum);
      if (p.lse().isPresent()) {
        double ours = single(out.get("LSE"), row);
        if (ours != lse && !(Math.abs(ours - lse) <= LOG_TOLERANCE * Math.max(1, Math.abs(lse)))) {
          return Optional.of("LSE of row " + row + " is " + ours + ", not " + lse);
        }
      }
      if (p.apart().isPresent()) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int split = 0; split < splits; split++) {
          largest = Math.max(largest, single(in.get("partialMaxima"), row + split * rows));
        }
        double relative = sum == 0 ? 0 : sum * Math.exp(-largest);
        double ours = single(out.get("Sums"), row);
        if (single(out.get("Maxima"), row) != largest || !(Math.abs(ours - relative) <= LOG_TOLERANCE * relative)) {
          return Optional.of("sum of row " + row + " is " + ours + ", not " + relative + " beside " + largest);
        }
      }
      for (int d = 0; d < s.valueDim(); d++) {
        double expected = 0;
        for (int split = 0; split < splits; split++) {
          if (logs[split] == Double.NEGATIVE_INFINITY) continue;
          expected += Math.exp(logs[split] - lse)
              * single(in.get("partialO"), (row + split * rows) * s.valueDim() + d);
        }
        double ours = results.value(((batch * s.queries() + query) * s.heads() + head) * s.valueDim() + d);
        if (!(Math.abs(ours - expected) <= TOLERANCE * Math.max(1, Math.abs(expected)))) {
          return Optional.of("O of row " + row + " at " + d + " is " + ours + ", not " + expected);
        }
      }
    }
    return Optional.empty();
  }

  private static float single(MemorySegment floats, int index) {
    return floats.get(ValueLayout.JAVA_FLOAT_UNALIGNED, (long) index * Float.BYTES);
  }
}
