package tilewright.verification.budget;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.ptx.Launch;

/**
 * Small launches of attention's gradients, and how much a problem is of these. A step is a tile of queries, a tile of
 * small launches the block of keys of a head. The launches before and behind the main kernel are left out.
 */
final class AttentionBackwardTrace {
  /** The launch that computes the gradients, behind the one that prepares rows. */
  private static final int MAIN = 1;
  private static final int STEPS = 4;

  private AttentionBackwardTrace() {}

  static Marginal of(AttentionBackwardKernel kernel, AttentionBackwardProblem problem) {
    var tiles = kernel.tiles(problem);
    var loaded = new KernelCounts.Loaded();
    return Marginal.of((heads, steps) -> {
      var s = problem.forward().sizes();
      var small = AttentionBackwardProblem.dense(AttentionProblem.dense(problem.forward().type(), new Sizes(1,
          tiles.queries() * steps, tiles.keys() * tiles.ctas(), heads, heads, s.headDim(), s.valueDim())));
      return loaded.of(on(small, kernel.prepare(small))).times(1.0 / tiles.ctas());
    }, STEPS);
  }

  /** Blocks and tiles as the band leaves them; the work of a tile that it crosses is that of a whole one. */
  static Budget.Work work(AttentionBackwardProblem problem, AttentionBackwardKernel.Tiles tiles) {
    var p = problem.forward();
    var s = p.sizes();
    double steps = 0;
    double longest = 0;
    int keys = tiles.keys() * tiles.ctas();
    int blocks = Math.ceilDiv(s.keys(), keys);
    for (int block = 0; block < blocks; block++) {
      int seen = seeing(p, block * keys, Math.min(s.keys(), (block + 1) * keys), tiles.queries());
      steps += seen;
      longest = Math.max(longest, seen);
    }
    double pairs = 0;
    for (int query = 0; query < s.queries(); query++) {
      pairs += AttentionTrace.end(p, query) - AttentionTrace.begin(p, query);
    }
    double heads = (double) s.batch() * s.heads();
    double keyHeads = (double) s.batch() * s.keyHeads();
    double bytes = s.queries() * heads * (s.headDim() + s.valueDim()) * p.type().bytes()
        + s.queries() * heads * s.headDim() * Float.BYTES
        + 2 * s.keys() * keyHeads * (s.headDim() + s.valueDim()) * p.type().bytes();
    int sharers = s.heads() / s.keyHeads();
    return new Budget.Work(blocks * keyHeads * tiles.ctas(), steps * heads * tiles.ctas(), longest * sharers,
        2 * pairs * heads * (3 * s.headDim() + 2 * s.valueDim()), bytes, false);
  }

  /** Tiles of queries that see any of the keys from {@code first} to before {@code end}. */
  private static int seeing(AttentionProblem p, int first, int end, int queries) {
    int tiles = 0;
    for (int query = 0; query < p.sizes().queries(); query += queries) {
      int last = Math.min(p.sizes().queries(), query + queries) - 1;
      if (AttentionTrace.end(p, last) > first && AttentionTrace.begin(p, query) < end) tiles++;
    }
    return tiles;
  }

  private static Launch on(AttentionBackwardProblem problem, LaunchSequence sequence) {
    var p = problem.forward();
    var s = p.sizes();
    long queries = (long) s.queries() * s.heads();
    long keys = (long) s.keys() * s.heads();
    int bytes = p.type().bytes();
    var buffers = new HashMap<String, MemorySegment>();
    Map.of("Q", queries * s.headDim(), "dQ", queries * s.headDim(), "O", queries * s.valueDim(),
        "dO", queries * s.valueDim(), "K", keys * s.headDim(), "dK", keys * s.headDim(), "V", keys * s.valueDim(),
        "dV", keys * s.valueDim()).forEach((name, count) -> buffers.put(name, GemmTrace.zeros(count * bytes)));
    buffers.put("LSE", GemmTrace.zeros(queries * Float.BYTES));
    for (var part : sequence.workspace()) {
      buffers.put(part.name(), GemmTrace.zeros(part.type().bytes(part.layout().cosize())));
    }
    return sequence.launches().get(MAIN).on(buffers);
  }

  static String text(AttentionBackwardKernel.Tiles tiles) {
    return tiles.queries() + "x" + tiles.keys() + (tiles.ctas() > 1 ? " by pairs of CTAs" : "");
  }
}
