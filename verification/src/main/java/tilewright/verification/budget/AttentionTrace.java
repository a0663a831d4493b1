package tilewright.verification.budget;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm100.attention.Sm100AttentionConfig;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionConfig;
import tilewright.sm90.attention.Sm90AttentionKernel;

/**
 * Small launches of Hopper and Blackwell attention, one CTA each, and how much a problem is of these. A tile of small
 * launches is a head; inputs are zeros, so that no sums are rescaled.
 */
final class AttentionTrace {
  static final int BLACKWELL_QUERIES = 256;

  private static final int STEPS = 2;
  private static final int ROWS = 64;

  private AttentionTrace() {}

  static int queries(Sm90AttentionConfig.Shape shape) {
    return ROWS * shape.consumers();
  }

  static Marginal hopper(AttentionProblem problem, Sm90AttentionConfig.Shape shape) {
    var loaded = new KernelCounts.Loaded();
    return Marginal.of((tiles, steps) -> {
      var small = small(problem, queries(shape), shape.keys() * steps, tiles);
      return loaded.of(on(small, Sm90AttentionKernel.prepare(small, shape)));
    }, STEPS);
  }

  /** The kernel's own shape, then the same with every other share of exponentials on FMA units. */
  static Stream<Sm100AttentionConfig.Shape> blackwellShapes(AttentionProblem problem) {
    var own = Sm100AttentionKernel.shape(problem).orElseThrow(() -> new IllegalArgumentException(
        "no Blackwell kernel has tiles for head dimensions " + problem.sizes().headDim() + " and "
            + problem.sizes().valueDim() + ": at most 128"));
    return Stream.concat(Stream.of(own), IntStream.of(0, 2, 4, 6, 8).mapToObj(emulated -> emulating(own, emulated)))
        .distinct();
  }

  static Sm100AttentionConfig.Shape emulating(Sm100AttentionConfig.Shape s, int emulated) {
    return new Sm100AttentionConfig.Shape(s.headDim(), s.valueDim(), s.keys(), s.stages(), emulated);
  }

  static Marginal blackwell(AttentionProblem problem, Sm100AttentionConfig.Shape shape) {
    var loaded = new KernelCounts.Loaded();
    return Marginal.of((tiles, steps) -> {
      var small = small(problem, BLACKWELL_QUERIES, shape.keys() * steps, tiles);
      return loaded.of(on(small, Sm100AttentionKernel.prepare(small, shape)));
    }, STEPS);
  }

  private static AttentionProblem small(AttentionProblem like, int queries, int keys, int heads) {
    var s = like.sizes();
    var sizes = new Sizes(1, queries, keys, heads, heads, s.headDim(), s.valueDim());
    return like.quantized().map(q -> AttentionProblem.dense(small(q, sizes), sizes))
        .orElseGet(() -> AttentionProblem.dense(like.type(), sizes));
  }

  /** Factors for as many rows as in a problem. */
  private static Quantized small(Quantized like, Sizes s) {
    if (like.blockScaled()) return Mxf8Scales.of(like.output(), s);
    return new Quantized(like.output(), like.probabilities(), factors(like.q(), s.heads(), s.queries()),
        factors(like.k(), s.keyHeads(), s.keys()), factors(like.v(), s.keyHeads(), s.keys()));
  }

  private static Factors factors(Factors like, int heads, int sequence) {
    return Factors.perBlock(like.buffer(), heads, sequence, like.rows());
  }

  /** Tiles and blocks as the band leaves them; the work of a block that it crosses is that of a whole one. */
  static Budget.Work work(AttentionProblem p, int queries, int keys) {
    var s = p.sizes();
    double steps = 0;
    double seen = 0;
    double longest = 0;
    int tiles = Math.ceilDiv(s.queries(), queries);
    for (int tile = 0; tile < tiles; tile++) {
      int first = tile * queries;
      int last = Math.min(s.queries(), first + queries) - 1;
      int blocks = Math.ceilDiv(end(p, last), keys) - begin(p, first) / keys;
      steps += blocks;
      longest = Math.max(longest, blocks);
    }
    for (int query = 0; query < s.queries(); query++) seen += end(p, query) - begin(p, query);
    double heads = (double) s.batch() * s.heads();
    double keysAndValues = (double) s.keys() * s.batch() * s.keyHeads() * (s.headDim() + s.valueDim());
    double bytes = s.queries() * heads * (s.headDim() * p.type().bytes() + s.valueDim() * p.outputType().bytes())
        + keysAndValues * p.type().bytes();
    return new Budget.Work(tiles * heads, steps * heads, longest, 2 * seen * heads * (s.headDim() + s.valueDim()),
        bytes, false);
  }

  /** Behind the last key that a query sees. */
  static int end(AttentionProblem p, int query) {
    var s = p.sizes();
    if (p.band().right().isEmpty()) return s.keys();
    return Math.clamp((long) query + s.keys() - s.queries() + p.band().right().getAsInt() + 1, 0, s.keys());
  }

  static int begin(AttentionProblem p, int query) {
    var s = p.sizes();
    if (p.band().left().isEmpty()) return 0;
    return Math.clamp((long) query + s.keys() - s.queries() - p.band().left().getAsInt(), 0, end(p, query));
  }

  private static Launch on(AttentionProblem p, PreparedLaunch launch) {
    var s = p.sizes();
    long queries = (long) s.queries() * s.heads() * p.type().bytes();
    long outputs = (long) s.queries() * s.heads() * p.outputType().bytes();
    long keys = (long) s.keys() * s.heads() * p.type().bytes();
    var buffers = new HashMap<String, MemorySegment>(Map.of("Q", GemmTrace.zeros(queries * s.headDim()),
        "K", GemmTrace.zeros(keys * s.headDim()), "V", GemmTrace.zeros(keys * s.valueDim()),
        "O", GemmTrace.zeros(outputs * s.valueDim()), "LSE", GemmTrace.zeros(outputs * Float.BYTES)));
    p.quantized().ifPresent(q -> {
      if (q.blockScaled()) {
        for (var scales : List.of(q.q(), q.k(), q.v())) buffers.put(scales.buffer(), GemmTrace.zeros(scales.batch()));
        return;
      }
      buffers.put(q.q().buffer(), GemmTrace.zeros((long) q.q().blocks(s.queries()) * s.heads() * Float.BYTES));
      for (var factors : List.of(q.k(), q.v())) {
        buffers.put(factors.buffer(), GemmTrace.zeros((long) factors.blocks(s.keys()) * s.keyHeads() * Float.BYTES));
      }
    });
    buffers.put(Sm90AttentionKernel.COUNTER, GemmTrace.zeros(Integer.BYTES));
    return new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments()).on(buffers);
  }

  static String text(AttentionProblem p) {
    var s = p.sizes();
    return "B=" + s.batch() + " S=" + s.queries() + (s.keys() == s.queries() ? "" : " keys=" + s.keys())
        + " H=" + s.heads() + " D=" + s.headDim() + (s.valueDim() == s.headDim() ? "" : " Dv=" + s.valueDim())
        + (p.quantized().isPresent() ? " " + p.format() : "")
        + (p.band().isAll() ? "" : p.band().equals(Band.CAUSAL) ? " causal" : " " + p.band());
  }

  static String text(Sm90AttentionConfig.Shape shape) {
    return queries(shape) + "x" + shape.keys() + " stages " + shape.stages() + (shape.turns() ? " in turn" : "")
        + (shape.anticipates() ? " anticipating" : "");
  }

  static String text(Sm100AttentionConfig.Shape shape) {
    return BLACKWELL_QUERIES + "x" + shape.keys() + " stages " + shape.stages() + " emulated " + shape.emulated()
        + "/16";
  }
}
