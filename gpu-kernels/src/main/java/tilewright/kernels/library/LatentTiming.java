package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimedProblem.Tensor;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * The timing of latent attention on FlashMLA's own problems: 128 sequences of one query, of 4096 and 8192 keys in pages
 * of 64, perhaps with tokens that each query chooses. Bytes are counted where memory is the
 * limit, which is for few heads and queries, else operations.
 */
record LatentTiming(AttentionKernel kernel) implements Timing {
  private static final Set<String> SETTINGS = Set.of("dtype", "b", "q", "s", "heads", "causal", "splits", "page",
      "lengths", "topk");
  /** The setting for queries that see all keys. */
  private static final String NONE = "0";
  /** Operations per byte from which tensor cores are the limit of a GPU with much memory bandwidth, an H200. */
  private static final int INTENSE = 200;

  /**
   * A problem of a request.
   *
   * @param chosen tokens of each query, 0 where queries see all keys
   */
  private record Form(int batch, int queries, int keys, int heads, String splits, int page, String lengths,
      int chosen) {}

  @Override
  public Set<String> settings() {
    return SETTINGS;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var type = request.type("dtype", ElementType.BF16);
    var band = request.values("causal", "false").contains("true") ? Band.CAUSAL : Band.ALL;
    return forms(request).map(form -> (Supplier<TimedProblem>) () -> timed(type, band, form)).toList();
  }

  private static Stream<Form> forms(TimingRequest request) {
    return numbers(request, "heads", "128").flatMap(heads -> numbers(request, "b", "128").flatMap(batch ->
        numbers(request, "q", "1").flatMap(queries -> numbers(request, "s", "4096,8192").flatMap(keys ->
            request.values("splits", "auto").stream().flatMap(splits ->
                request.values("page", "64").stream().flatMap(page ->
                    request.values("lengths", TimedCache.FULL).stream().flatMap(lengths ->
                        request.values("topk", NONE).stream().map(chosen -> new Form(batch, queries, keys, heads,
                            splits, positive("page", page, TimedCache.WHOLE), lengths,
                            positive("topk", chosen, NONE))))))))));
  }

  private static int positive(String name, String text, String zero) {
    return text.equals(zero) ? 0 : TimingRequest.measurable(name, text);
  }


  private static Stream<Integer> numbers(TimingRequest request, String name, String otherwise) {
    return request.values(name, otherwise).stream().map(text -> TimingRequest.measurable(name, text));
  }

  private TimedProblem timed(ElementType type, Band band, Form form) {
    var whole = AttentionProblem.latent(type, form.batch, form.queries, form.chosen > 0 ? form.chosen : form.keys,
        form.heads, LatentAttentionDescription.HEAD_DIM, LatentAttentionDescription.VALUE_DIM).with(band);
    var split = whole.with(whole.serving().with(KeySplits.parse(form.splits)));
    var cache = form.chosen > 0 ? TimedCache.chosen(split, form.keys, form.page)
        : TimedCache.of(split, form.page, form.lengths);
    var p = cache.problem();
    kernel.refusal(p).ifPresent(reason -> {
      throw new IllegalArgumentException(kernel.name() + ": " + reason);
    });
    var s = p.sizes();
    long rows = (long) s.batch() * s.queries() * s.heads();
    var all = new ArrayList<>(List.of(Tensor.input("Q", type, rows * s.headDim()),
        Tensor.input("K", type, (long) s.batch() * form.keys * s.headDim()),
        Tensor.output("O", type, rows * s.valueDim()), Tensor.output("LSE", ElementType.F32, rows)));
    long read = form.chosen > 0 ? cache.keys() * s.queries() : cache.keys();
    long unused = ((long) s.batch() * form.keys - read) * s.headDim() * type.bytes();
    long bytes = all.stream().mapToLong(Tensor::bytes).sum() - unused;
    double operations = 2.0 * cache.keys() * s.queries() * s.heads() * (s.headDim() + s.valueDim());
    all.addAll(cache.integers());
    var config = type.text() + " B=" + s.batch() + " Sq=" + s.queries() + " S=" + form.keys + " H=" + s.heads() + " D="
        + s.headDim() + "/" + s.valueDim() + (band.isAll() ? "" : " causal")
        + (form.splits.equals("auto") ? "" : " splits " + form.splits) + cache.features();
    return new TimedProblem(kernel.name(), kernel.arch(), config, kernel.launches(p), all, bytes,
        operations < INTENSE * (double) bytes ? 0 : operations, Map.of(), List.of());
  }
}
