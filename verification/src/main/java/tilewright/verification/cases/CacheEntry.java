package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/**
 * A batch entry of a problem whose keys lie in a cache, or a query of one where each has its own tokens, as a problem
 * of its own on its keys one after the other.
 *
 * @param in its inputs
 */
record CacheEntry(AttentionProblem problem, Map<String, MemorySegment> in) {

  static List<CacheEntry> of(AttentionProblem p, Map<String, MemorySegment> in) {
    var entries = IntStream.range(0, p.sizes().batch()).boxed();
    return p.serving().tokens().isEmpty() ? entries.map(b -> of(p, in, b)).toList()
        : entries.flatMap(b -> IntStream.range(0, p.sizes().queries()).mapToObj(q -> ofQuery(p, in, b, q))).toList();
  }

  /** A query with the tokens that it has chosen. */
  private static CacheEntry ofQuery(AttentionProblem p, Map<String, MemorySegment> in, int b, int q) {
    var s = p.sizes();
    var tokens = p.serving().tokens().orElseThrow();
    var indices = Buffers.values(ElementType.I32, in.get(tokens.indices()));
    int first = (b * s.queries() + q) * s.keys();
    int used = p.serving().lengths().map(name -> integer(in, name, b)).orElse(s.keys());
    var chosen = IntStream.range(first, first + used).map(i -> (int) indices[i])
        .filter(token -> token != Serving.Tokens.NO_TOKEN).toArray();
    var buffers = new HashMap<>(in);
    buffers.put("keys", gathered(p, p.k(), s.headDim(), chosen, in));
    buffers.put("values", gathered(p, p.v(), s.valueDim(), chosen, in));
    var sizes = new Sizes(1, 1, chosen.length, s.heads(), s.keyHeads(), s.headDim(), s.valueDim());
    var own = AttentionProblem.dense(p.type(), sizes).at(query(p.q(), p.type(), b, q),
        View.bshd("keys", chosen.length, s.keyHeads(), s.headDim()),
        View.bshd("values", chosen.length, s.keyHeads(), s.valueDim()), query(p.o(), p.outputType(), b, q))
        .withLogarithms(p.lse().map(lse -> query(lse, ElementType.F32, b, q))).scaled(p.scale());
    return new CacheEntry(own, buffers);
  }

  private static View query(View v, ElementType type, int b, int q) {
    var entry = entry(v, type, b);
    return new View(v.buffer(), entry.offset() + q * v.sequence() * type.bytes(), v.batch(), v.sequence(), v.head(),
        v.dim());
  }

  private static MemorySegment gathered(AttentionProblem p, View v, int dim, int[] tokens,
      Map<String, MemorySegment> in) {
    int rows = p.serving().tokens().orElseThrow().rows();
    return gathered(p, v, dim, tokens.length, in,
        key -> tokens[(int) key] / rows * v.batch() + tokens[(int) key] % rows * v.sequence());
  }

  private static CacheEntry of(AttentionProblem p, Map<String, MemorySegment> in, int b) {
    var s = p.sizes();
    int keys = p.serving().lengths().map(name -> integer(in, name, b)).orElse(s.keys()) - padding(p, in, b);
    var buffers = new HashMap<>(in);
    var quantized = p.quantized().map(q -> entry(q, buffers, b));
    buffers.put("keys", gathered(p, p.k(), s.headDim(), keys, in,
        place(p, p.k().batch(), p.k().sequence(), in, b)));
    buffers.put("values", gathered(p, p.v(), s.valueDim(), keys, in,
        place(p, p.v().batch(), p.v().sequence(), in, b)));
    var sizes = new Sizes(1, s.queries(), keys, s.heads(), s.keyHeads(), s.headDim(), s.valueDim());
    var own = new AttentionProblem(p.type(), sizes, entry(p.q(), p.type(), b),
        View.bshd("keys", keys, s.keyHeads(), s.headDim()), View.bshd("values", keys, s.keyHeads(), s.valueDim()),
        entry(p.o(), p.outputType(), b), p.lse().map(lse -> entry(lse, ElementType.F32, b)), p.scale(), p.band(),
        p.modification(), Optional.empty(), false, quantized,
        serving(p, keys, buffers, b), p.sinks(), p.apart().map(apart -> new AttentionProblem.Apart(
            entry(apart.maxima(), ElementType.F32, b), entry(apart.sums(), ElementType.F32, b))));
    return new CacheEntry(own, buffers);
  }

  private static Serving serving(AttentionProblem p, int keys, Map<String, MemorySegment> buffers, int b) {
    var splits = Serving.NONE.with(new KeySplits.Fixed(AttentionSequence.keysOfSplit(p)));
    return p.serving().codes().map(codes -> splits.with(new Serving.Codes(entry(p, codes.k(), keys, buffers, b),
        entry(p, codes.v(), keys, buffers, b)))).orElse(splits);
  }

  private static View entry(View v, ElementType type, int b) {
    return new View(v.buffer(), v.offset() + b * v.batch() * type.bytes(), v.batch(), v.sequence(), v.head(), v.dim());
  }

  private static Quantized entry(Quantized q, Map<String, MemorySegment> buffers, int b) {
    return new Quantized(q.format(), q.output(), q.probabilities(), q.accumulation(), entry(q.q(), buffers, b),
        entry(q.k(), buffers, b), entry(q.v(), buffers, b));
  }

  /** The entry's factors, whose buffer begins with them. */
  private static Factors entry(Factors factors, Map<String, MemorySegment> buffers, int b) {
    return new Factors(entry(factors.buffer(), factors.batch(), buffers, b), factors.rows(), factors.block(),
        factors.head(), factors.batch());
  }

  private static Serving.Factor entry(AttentionProblem p, Serving.Factor factor, int keys,
      Map<String, MemorySegment> buffers, int b) {
    if (!factor.ofTokens()) {
      return new Serving.Factor(entry(factor.buffer(), factor.batch(), buffers, b), 0, factor.head(), factor.batch());
    }
    int heads = p.sizes().keyHeads();
    var place = place(p, factor.batch(), factor.token(), buffers, b);
    var gathered = new double[Math.max(1, keys * heads)];
    for (int key = 0; key < keys; key++) {
      for (int head = 0; head < heads; head++) {
        gathered[key * heads + head] = buffers.get(factor.buffer()).getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED,
            place.applyAsLong(key) + head * factor.head());
      }
    }
    var name = factor.buffer() + " of the entry";
    buffers.put(name, Buffers.of(ElementType.F32, gathered));
    return new Serving.Factor(name, heads, 1, (long) keys * heads);
  }

  private static String entry(String buffer, long batch, Map<String, MemorySegment> buffers, int b) {
    var name = buffer + " of the entry";
    buffers.put(name, buffers.get(buffer).asSlice(b * batch * Float.BYTES));
    return name;
  }

  /** The entry's rows of K or V, (keys, heads, dim), whose columns are contiguous. */
  private static MemorySegment gathered(AttentionProblem p, View v, int dim, int keys, Map<String, MemorySegment> in,
      LongUnaryOperator place) {
    int heads = p.sizes().keyHeads();
    long bytes = (long) dim * p.cacheType().bytes();
    var rows = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(keys * heads * bytes, Long.BYTES))]);
    for (int key = 0; key < keys; key++) {
      for (int head = 0; head < heads; head++) {
        long from = v.offset() + (place.applyAsLong(key) + head * v.head()) * p.cacheType().bytes();
        MemorySegment.copy(in.get(v.buffer()), from, rows, ((long) key * heads + head) * bytes, bytes);
      }
    }
    return rows.asSlice(0, keys * heads * bytes);
  }

  /** Rows before the entry's first key. */
  private static int padding(AttentionProblem p, Map<String, MemorySegment> in, int b) {
    return p.serving().padding().map(name -> integer(in, name, b)).orElse(0);
  }

  private static int integer(Map<String, MemorySegment> in, String name, int b) {
    return (int) Buffers.values(ElementType.I32, in.get(name))[b];
  }

  /**
   * From a key of an entry to its element in K, V or their factors.
   *
   * @param entry elements from one batch entry or page to the next
   * @param row elements from one row to the next
   */
  private static LongUnaryOperator place(AttentionProblem p, long entry, long row, Map<String, MemorySegment> in,
      int b) {
    long before = padding(p, in, b);
    if (p.serving().pages().isEmpty()) return key -> b * entry + (before + key) * row;
    var pages = p.serving().pages().get();
    var table = Buffers.values(ElementType.I32, in.get(pages.table()));
    int each = table.length / p.sizes().batch();
    return key -> (long) table[(int) (b * each + key / pages.rows())] * entry + key % pages.rows() * row;
  }
}
