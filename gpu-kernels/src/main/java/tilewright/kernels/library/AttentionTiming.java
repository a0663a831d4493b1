package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/**
 * The timing of a kernel of attention on FlashAttention's own problems; {@code splits} divides the keys, a
 * {@link TimedCache} holds them, and {@code cache} has them in codes, with factors of heads or of tokens. Where keys
 * are read for so few queries that memory is the limit, bytes are counted, not operations.
 */
record AttentionTiming(AttentionKernel kernel) implements Timing {
  private static final String SPLITS = "splits";
  private static final String PAGE = "page";
  private static final String LENGTHS = "lengths";
  private static final String CACHE = "cache";
  /** Operations per byte below which GPUs wait for memory, with room to spare. */
  private static final int INTENSE = 100;

  @Override
  public Set<String> settings() {
    var all = new HashSet<>(MeasuredAttention.SETTINGS);
    all.addAll(List.of(SPLITS, PAGE, LENGTHS, CACHE));
    return all;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    return MeasuredAttention.of(request).stream()
        .flatMap(m -> request.values(CACHE, "same").stream().map(m::cachedIn))
        .flatMap(m -> request.values(SPLITS, "auto").stream()
        .flatMap(splits -> request.values(PAGE, TimedCache.WHOLE).stream()
            .flatMap(page -> request.values(LENGTHS, TimedCache.FULL).stream()
                .<Supplier<TimedProblem>>map(lengths -> () -> timed(m, splits, page, lengths))))).toList();
  }

  private TimedProblem timed(MeasuredAttention measured, String splits, String page, String lengths) {
    int rows = page.equals(TimedCache.WHOLE) ? 0 : TimingRequest.measurable(PAGE, page);
    var cache = TimedCache.of(measured.problem().with(measured.problem().serving().with(KeySplits.parse(splits))), rows,
        lengths);
    var p = cache.problem();
    kernel.refusal(p).ifPresent(reason -> {
      throw new IllegalArgumentException(kernel.name() + ": " + reason);
    });
    var s = p.sizes();
    var all = new ArrayList<>(measured.inputs());
    all.addAll(measured.results());
    all.addAll(measured.factors());
    long unused = ((long) s.batch() * s.keys() - cache.keys()) * s.keyHeads() * (s.headDim() + s.valueDim());
    long bytes = all.stream().mapToLong(TimedProblem.Tensor::bytes).sum() - unused * p.cacheType().bytes();
    all.addAll(cache.integers());
    double inUse = cache.keys() / ((double) s.batch() * s.keys());
    double multiplied = 2 * measured.pairs() * inUse * (s.headDim() + s.valueDim());
    double operations = multiplied < INTENSE * (double) bytes ? 0 : multiplied;
    var config = measured.config((splits.equals("auto") ? "" : " splits " + splits) + cache.features());
    // Others are asked for full caches in one tensor, of Q's type.
    var peer = unused > 0 || p.serving().codes().isPresent() ? Map.<String, Object>of() : measured.peer();
    all.addAll(zeros(kernel, p));
    all.addAll(measured.bounds());
    all.addAll(measured.data());
    if (!p.blockMask()) {
      return new TimedProblem(kernel.name(), kernel.arch(), config, kernel.launches(p), all, bytes, operations,
          peer, List.of());
    }
    var lists = kernel.blockMask(p);
    BlockMask.BUFFERS.forEach(name -> all.add(TimedProblem.Tensor.output(name, ElementType.I32, lists.elements())));
    return new TimedProblem(kernel.name(), kernel.arch(), config, kernel.prepare(p), all, bytes, operations,
        peer, List.of(lists.prepare()));
  }

  /** Zeros that each launch of a kernel leaves so. */
  static List<TimedProblem.Tensor> zeros(AttentionKernel kernel, AttentionProblem p) {
    return kernel.zeros(p).entrySet().stream().map(zeros -> new TimedProblem.Tensor(zeros.getKey(), ElementType.I32,
        zeros.getValue() / Integer.BYTES, new TimedProblem.Content.Indices(1))).toList();
  }
}
