package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * A problem of FlashAttention's own measurements: 16384 tokens of width 2048 in sequences of 512 and on; where settings
 * say so, of another length, number of batch entries or heads, of fewer queries, and of heads that share keys. Codes of
 * e4m3 have a factor for each head, and results of type {@code out}.
 *
 * @param form of the scores
 * @param lengths of sequences that lie one after the other
 */
record MeasuredAttention(AttentionProblem problem, AttentionForm form, Optional<SequenceLengths> lengths) {
  static final Set<String> SETTINGS = Set.of("dtype", "out", "d", "s", "causal", "form", "b", "q", "heads",
      "share", "accumulation", "v");

  private static final int TOKENS = 16384;
  private static final int WIDTH = 2048;
  private static final List<Integer> HEAD_DIMS = List.of(64, 128, 256);
  private static final int SHORTEST = 512;

  /** The problems that a request leaves. */
  static List<MeasuredAttention> of(TimingRequest request) {
    var all = new ArrayList<MeasuredAttention>();
    for (int dim : dims(request)) {
      for (var band : List.of(Band.ALL, Band.CAUSAL)) {
        for (int length : lengths(request)) {
          if (!request.leaves("causal", "" + band.equals(Band.CAUSAL))) continue;
          for (var form : forms(request)) {
            // A mask is causal itself.
            if (form.masks() && !band.isAll()) continue;
            for (var sizes : sizes(dim, length, request)) {
              if (form != AttentionForm.VARLEN) {
                accumulated(request, form.of(dense(request, sizes).with(band)))
                    .flatMap(problem -> alongValues(request, problem))
                    .forEach(problem -> all.add(new MeasuredAttention(problem, form, Optional.empty())));
              } else if (usual().contains(length) && length < TOKENS) {
                all.add(packed(request, sizes, band));
              }
            }
          }
        }
      }
    }
    return all;
  }

  private static Stream<AttentionProblem> accumulated(TimingRequest request, AttentionProblem problem) {
    return request.values("accumulation", "fast").stream().map(text -> switch (text) {
      case "fast" -> problem;
      case "promoted" -> problem.promoted();
      default -> throw new IllegalArgumentException("no accumulation " + text + ": fast or promoted");
    });
  }

  /** V by rows, in which neighbours are columns of the head, or by columns, in which they are keys. */
  private static Stream<AttentionProblem> alongValues(TimingRequest request, AttentionProblem problem) {
    var s = problem.sizes();
    return request.values("v", "rows").stream().map(text -> switch (text) {
      case "rows" -> problem;
      case "columns" -> problem.at(problem.q(), problem.k(),
          View.bhds("V", s.keyHeads(), s.valueDim(), s.keys()), problem.o());
      default -> throw new IllegalArgumentException("no v " + text + ": rows or columns");
    });
  }

  private static List<Integer> usual() {
    return Stream.iterate(SHORTEST, length -> length <= TOKENS, length -> 2 * length).toList();
  }

  private static List<Integer> dims(TimingRequest request) {
    return request.has("d") ? numbers(request, "d", WIDTH).toList() : HEAD_DIMS;
  }

  private static List<Integer> lengths(TimingRequest request) {
    return request.has("s") ? numbers(request, "s", TOKENS).toList() : usual();
  }

  /** Packed sequences, of at most that length. */
  private static MeasuredAttention packed(TimingRequest request, Sizes longest, Band band) {
    var lengths = new SequenceLengths(longest.queries(), TOKENS);
    var sizes = Sizes.of(1, TOKENS, TOKENS, longest.heads(), longest.headDim());
    var problem = dense(request, sizes).with(band)
        .with(new AttentionProblem.Packed("cuQ", "cuK", lengths.count(), lengths.longest()));
    return new MeasuredAttention(problem, AttentionForm.VARLEN, Optional.of(lengths));
  }

  private static AttentionProblem dense(TimingRequest request, Sizes sizes) {
    var type = request.type("dtype", ElementType.BF16);
    var output = request.type("out", type == ElementType.E4M3 ? ElementType.BF16 : type);
    if (type == ElementType.E4M3) return AttentionProblem.dense(Quantized.perHead(output, sizes), sizes);
    if (output != type) {
      throw new IllegalArgumentException("no attention of " + type.text() + " stores " + output.text() + ": leave out="
          + output.text() + " out");
    }
    return AttentionProblem.dense(type, sizes);
  }

  private static List<Sizes> sizes(int dim, int length, TimingRequest request) {
    return numbers(request, "heads", WIDTH / dim).flatMap(heads ->
        numbers(request, "b", Math.max(1, TOKENS / length)).flatMap(batch ->
            numbers(request, "q", length).flatMap(queries -> numbers(request, "share", 1).map(sharers ->
                new Sizes(batch, queries, length, heads, heads / sharers, dim, dim))))).toList();
  }

  private static Stream<Integer> numbers(TimingRequest request, String name, int otherwise) {
    return request.values(name, "" + otherwise).stream().map(text -> TimingRequest.measurable(name, text));
  }

  private static List<AttentionForm> forms(TimingRequest request) {
    return request.values("form", AttentionForm.PLAIN.name()).stream().map(AttentionForm::named)
        .flatMap(List::stream).toList();
  }

  private boolean causal() {
    return problem.band().equals(Band.CAUSAL) && !form.masks();
  }

  /** Returns this with codes of e4m3 in the cache, where that is asked for. */
  MeasuredAttention cachedIn(String cache) {
    return switch (cache) {
      case "same" -> this;
      case "e4m3" -> with(Serving.Codes.perHead(problem.sizes().keyHeads()));
      case "e4m3-tokens" -> with(Serving.Codes.perToken(problem.sizes().keys(), problem.sizes().keyHeads()));
      default -> throw new IllegalArgumentException("invalid cache=" + cache + ": same, e4m3 or e4m3-tokens");
    };
  }

  private MeasuredAttention with(Serving.Codes codes) {
    return new MeasuredAttention(problem.with(problem.serving().with(codes)), form, lengths);
  }

  /** Pairs of a query and a key that are seen, of all heads; by convention a causal mask halves them. */
  double pairs() {
    var s = problem.sizes();
    return s.heads() * lengths.map(l -> l.pairs() / (causal() ? 2 : 1))
        .orElseGet(() -> s.batch() * form.seen(s.queries(), s.keys(), problem.band()));
  }

  /** Elements of a tensor with a row for each query of each head. */
  long ofQueries(int dim) {
    var s = problem.sizes();
    return (long) s.batch() * s.queries() * s.heads() * dim;
  }

  /** Elements of a tensor with a row for each key of each head of keys. */
  long ofKeys(int dim) {
    var s = problem.sizes();
    return (long) s.batch() * s.keys() * s.keyHeads() * dim;
  }

  /** The inputs Q, K and V. */
  List<TimedProblem.Tensor> inputs() {
    var s = problem.sizes();
    return List.of(TimedProblem.Tensor.input("Q", problem.type(), ofQueries(s.headDim())),
        TimedProblem.Tensor.input("K", problem.cacheType(), ofKeys(s.headDim())),
        TimedProblem.Tensor.input("V", problem.cacheType(), ofKeys(s.valueDim())));
  }

  /** The results O and LSE. */
  List<TimedProblem.Tensor> results() {
    return List.of(TimedProblem.Tensor.output("O", problem.outputType(), ofQueries(problem.sizes().valueDim())),
        TimedProblem.Tensor.output("LSE", ElementType.F32, ofQueries(1)));
  }

  /** The factors of codes: all 1, so that scores are those of 16-bit operands. */
  List<TimedProblem.Tensor> factors() {
    var s = problem.sizes();
    int entries = lengths.map(SequenceLengths::count).orElse(s.batch());
    if (problem.serving().codes().isPresent()) {
      var codes = problem.serving().codes().get();
      long elements = codes.ofTokens() ? ofKeys(1) : (long) s.batch() * s.keyHeads();
      return Stream.of(codes.k(), codes.v()).map(factor -> factors(factor.buffer(), elements)).toList();
    }
    return problem.quantized().map(quantized -> List.of(factors(quantized.q().buffer(), entries * s.heads()),
        factors(quantized.k().buffer(), entries * s.keyHeads()),
        factors(quantized.v().buffer(), entries * s.keyHeads())))
        .orElse(List.of());
  }

  private static TimedProblem.Tensor factors(String buffer, long elements) {
    return new TimedProblem.Tensor(buffer, ElementType.F32, elements, new TimedProblem.Content.Same(1));
  }

  /** The data that functions read. */
  List<TimedProblem.Tensor> data() {
    return form.data().apply(problem.sizes());
  }

  /** The sequences' bounds, where they are packed. */
  List<TimedProblem.Tensor> bounds() {
    return lengths.map(l -> Stream.of("cuQ", "cuK").map(name -> new TimedProblem.Tensor(name, ElementType.I32,
        l.count() + 1, new TimedProblem.Content.Given(l.cumulated()))).toList()).orElse(List.of());
  }

  /** Extents and features in words. */
  String config(String features) {
    var s = problem.sizes();
    return problem.type().text() + (problem.quantized().isPresent() ? "->" + problem.outputType().text() : "")
        + problem.serving().codes().map(codes -> " on " + problem.cacheType().text()
            + (codes.ofTokens() ? " by tokens" : "")).orElse("") + " B="
        + s.batch() + (s.queries() == s.keys() ? "" : " Sq=" + s.queries())
        + lengths.map(l -> " S<=" + l.longest()).orElse(" S=" + s.keys()) + " H=" + s.heads()
        + (s.keyHeads() == s.heads() ? "" : " Hk=" + s.keyHeads()) + " D=" + s.headDim()
        + (causal() ? " causal" : "") + (problem.v().dim() == 1 ? "" : " V by columns")
        + (problem.promotes() ? " promoted" : "") + features
        + (form == AttentionForm.PLAIN ? "" : " " + form.name());
  }

  /** The request to peers. */
  Map<String, Object> peer() {
    var s = problem.sizes();
    var peer = new HashMap<String, Object>(Map.of("op", "attention", "batch", s.batch(), "heads", s.heads(), "kvHeads",
        s.keyHeads(), "queries", s.queries(), "keys", s.keys(), "headDim", s.headDim(), "dtype",
        problem.type().text(), "causal", causal()));
    if (problem.quantized().isPresent()) peer.put("out", problem.outputType().text());
    if (lengths.isPresent()) peer.put("cumulated", lengths.get().cumulated());
    else if (form != AttentionForm.PLAIN) peer.put("form", form.name());
    return peer;
  }
}
