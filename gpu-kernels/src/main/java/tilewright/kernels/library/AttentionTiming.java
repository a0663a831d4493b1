package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * The problems of FlashAttention's own measurements: 16384 tokens of width 2048 in sequences of 512 and on; where
 * settings say so, of another number of batch entries, of fewer queries, and of heads that share keys.
 */
record AttentionTiming(AttentionKernel kernel) implements Timing {
  private static final Set<String> SETTINGS = Set.of("dtype", "d", "s", "causal", "form", "b", "q", "share");

  private static final int TOKENS = 16384;
  private static final int WIDTH = 2048;
  private static final List<Integer> HEAD_DIMS = List.of(64, 128, 256);
  private static final int SHORTEST = 512;

  @Override
  public Set<String> settings() {
    return SETTINGS;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var type = request.type("dtype", ElementType.BF16);
    var all = new ArrayList<Supplier<TimedProblem>>();
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
                all.add(() -> measured(kernel, form.of(AttentionProblem.dense(type, sizes).with(band)), form));
              } else if (length < TOKENS) {
                all.add(() -> packed(kernel, type, sizes, band));
              }
            }
          }
        }
      }
    }
    return all;
  }

  /** A timed problem of packed sequences, of at most that length. */
  private static TimedProblem packed(AttentionKernel kernel, ElementType type, Sizes longest, Band band) {
    var lengths = new SequenceLengths(longest.queries(), TOKENS);
    var dense = AttentionProblem.dense(type, Sizes.of(1, TOKENS, TOKENS, longest.heads(), longest.headDim()));
    var plain = measured(kernel, dense.with(band).with(new AttentionProblem.Packed("cuQ", "cuK", lengths.count(),
        lengths.longest())), AttentionForm.VARLEN);
    var tensors = new ArrayList<>(plain.tensors());
    var given = new TimedProblem.Content.Given(lengths.cumulated());
    for (var name : List.of("cuQ", "cuK")) {
      tensors.add(new TimedProblem.Tensor(name, ElementType.I32, lengths.count() + 1, given));
    }
    double seen = lengths.pairs() / (band.isAll() ? 1 : 2);
    var peer = new HashMap<>(plain.peer());
    peer.remove("form");
    peer.put("cumulated", lengths.cumulated());
    var config = plain.config().replace(" S=" + TOKENS, " S<=" + lengths.longest());
    double operations = 4.0 * longest.heads() * seen * longest.headDim();
    return new TimedProblem(plain.kernel(), plain.arch(), config, plain.launch(), tensors, plain.bytes(), operations,
        peer);
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

  private static TimedProblem measured(AttentionKernel kernel, AttentionProblem p, AttentionForm form) {
    var s = p.sizes();
    boolean causal = p.band().equals(Band.CAUSAL);
    long queries = (long) s.batch() * s.queries() * s.heads();
    long keys = (long) s.batch() * s.keys() * s.keyHeads();
    var tensors = List.of(TimedProblem.Tensor.input("Q", p.type(), queries * s.headDim()),
        TimedProblem.Tensor.input("K", p.type(), keys * s.headDim()),
        TimedProblem.Tensor.input("V", p.type(), keys * s.valueDim()),
        TimedProblem.Tensor.output("O", p.type(), queries * s.valueDim()),
        TimedProblem.Tensor.output("LSE", ElementType.F32, queries));
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    // By convention a causal mask halves the work, whatever its diagonal.
    double pairs = s.batch() * s.heads() * form.seen(s.queries(), s.keys(), p.band());
    double operations = 2 * pairs * (s.headDim() + s.valueDim());
    var peer = new HashMap<String, Object>(Map.of("op", "attention", "batch", s.batch(), "heads", s.heads(), "kvHeads",
        s.keyHeads(), "queries", s.queries(), "keys", s.keys(), "headDim", s.headDim(), "dtype", p.type().text(),
        "causal", causal));
    if (form != AttentionForm.PLAIN) peer.put("form", form.name());
    var config = p.type().text() + " B=" + s.batch() + (s.queries() == s.keys() ? "" : " Sq=" + s.queries()) + " S="
        + s.keys() + " H=" + s.heads() + (s.keyHeads() == s.heads() ? "" : " Hk=" + s.keyHeads()) + " D=" + s.headDim()
        + (causal ? " causal" : "") + (form == AttentionForm.PLAIN ? "" : " " + form.name());
    var all = new ArrayList<>(tensors);
    // Zeros that each launch leaves so.
    kernel.zeros(p).forEach((name, size) -> all.add(
        new TimedProblem.Tensor(name, ElementType.I32, size / Integer.BYTES, new TimedProblem.Content.Indices(1))));
    if (!p.blockMask()) {
      return new TimedProblem(kernel.name(), kernel.arch(), config, kernel.prepare(p), all, bytes, operations, peer);
    }
    var lists = kernel.blockMask(p);
    BlockMask.BUFFERS.forEach(name -> all.add(TimedProblem.Tensor.output(name, ElementType.I32, lists.elements())));
    return new TimedProblem(kernel.name(), kernel.arch(), config, kernel.prepare(p), all, bytes, operations, peer,
        List.of(lists.prepare()));
  }
}
