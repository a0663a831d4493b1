package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * A problem of FlashAttention's own measurements: 16384 tokens of width 2048 in sequences of 512 and on; where settings
 * say so, of another number of batch entries, of fewer queries, and of heads that share keys.
 *
 * @param form of the scores
 * @param lengths of sequences that lie one after the other
 */
record MeasuredAttention(AttentionProblem problem, AttentionForm form, Optional<SequenceLengths> lengths) {
  static final Set<String> SETTINGS = Set.of("dtype", "d", "s", "causal", "form", "b", "q", "share");

  private static final int TOKENS = 16384;
  private static final int WIDTH = 2048;
  private static final List<Integer> HEAD_DIMS = List.of(64, 128, 256);
  private static final int SHORTEST = 512;

  /** The problems that a request leaves. */
  static List<MeasuredAttention> of(TimingRequest request) {
    var type = request.type("dtype", ElementType.BF16);
    var all = new ArrayList<MeasuredAttention>();
    for (int dim : HEAD_DIMS) {
      for (var band : List.of(Band.ALL, Band.CAUSAL)) {
        for (int length = SHORTEST; length <= TOKENS; length *= 2) {
          if (!request.leaves("d", "" + dim) || !request.leaves("s", "" + length)
              || !request.leaves("causal", "" + band.equals(Band.CAUSAL))) continue;
          for (var form : forms(request)) {
            // A mask is causal itself.
            if (form.mask().isPresent() && !band.isAll()) continue;
            for (var sizes : sizes(dim, length, request)) {
              if (form != AttentionForm.VARLEN) {
                var problem = form.of(AttentionProblem.dense(type, sizes).with(band));
                all.add(new MeasuredAttention(problem, form, Optional.empty()));
              } else if (length < TOKENS) {
                all.add(packed(type, sizes, band));
              }
            }
          }
        }
      }
    }
    return all;
  }

  /** Packed sequences, of at most that length. */
  private static MeasuredAttention packed(ElementType type, Sizes longest, Band band) {
    var lengths = new SequenceLengths(longest.queries(), TOKENS);
    var problem = AttentionProblem.dense(type, Sizes.of(1, TOKENS, TOKENS, longest.heads(), longest.headDim()))
        .with(band).with(new AttentionProblem.Packed("cuQ", "cuK", lengths.count(), lengths.longest()));
    return new MeasuredAttention(problem, AttentionForm.VARLEN, Optional.of(lengths));
  }

  private static List<Sizes> sizes(int dim, int length, TimingRequest request) {
    int heads = WIDTH / dim;
    return numbers(request, "b", TOKENS / length).flatMap(batch -> numbers(request, "q", length).flatMap(queries ->
        numbers(request, "share", 1).map(sharers ->
            new Sizes(batch, queries, length, heads, heads / sharers, dim, dim)))).toList();
  }

  private static Stream<Integer> numbers(TimingRequest request, String name, int otherwise) {
    return request.values(name, "" + otherwise).stream().map(text -> TimingRequest.measurable(name, text));
  }

  private static List<AttentionForm> forms(TimingRequest request) {
    return request.values("form", AttentionForm.PLAIN.name()).stream().map(AttentionForm::named).toList();
  }

  private boolean causal() {
    return problem.band().equals(Band.CAUSAL);
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
        TimedProblem.Tensor.input("K", problem.type(), ofKeys(s.headDim())),
        TimedProblem.Tensor.input("V", problem.type(), ofKeys(s.valueDim())));
  }

  /** The results O and LSE. */
  List<TimedProblem.Tensor> results() {
    return List.of(TimedProblem.Tensor.output("O", problem.type(), ofQueries(problem.sizes().valueDim())),
        TimedProblem.Tensor.output("LSE", ElementType.F32, ofQueries(1)));
  }

  /** The sequences' bounds, where they are packed. */
  List<TimedProblem.Tensor> bounds() {
    return lengths.map(l -> Stream.of("cuQ", "cuK").map(name -> new TimedProblem.Tensor(name, ElementType.I32,
        l.count() + 1, new TimedProblem.Content.Given(l.cumulated()))).toList()).orElse(List.of());
  }

  /** Extents and features in words. */
  String config(String features) {
    var s = problem.sizes();
    return problem.type().text() + " B=" + s.batch() + (s.queries() == s.keys() ? "" : " Sq=" + s.queries())
        + lengths.map(l -> " S<=" + l.longest()).orElse(" S=" + s.keys()) + " H=" + s.heads()
        + (s.keyHeads() == s.heads() ? "" : " Hk=" + s.keyHeads()) + " D=" + s.headDim()
        + (causal() ? " causal" : "") + features + (form == AttentionForm.PLAIN ? "" : " " + form.name());
  }

  /** The request to peers. */
  Map<String, Object> peer() {
    var s = problem.sizes();
    var peer = new HashMap<String, Object>(Map.of("op", "attention", "batch", s.batch(), "heads", s.heads(), "kvHeads",
        s.keyHeads(), "queries", s.queries(), "keys", s.keys(), "headDim", s.headDim(), "dtype",
        problem.type().text(), "causal", causal()));
    if (lengths.isPresent()) peer.put("cumulated", lengths.get().cumulated());
    else if (form != AttentionForm.PLAIN) peer.put("form", form.name());
    return peer;
  }
}
