package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/** Attention on caches of keys that are split, of which only some keys are in use: all behind those is NaN. */
public final class CachedAttention {
  private static final String LENGTHS = "used";
  private static final String TABLE = "table";
  private static final String PADDING = "padding";
  /** Rows by which a batch entry has more before its first key than the one before, if its keys suffice. */
  private static final int MORE_PADDING = 37;

  private CachedAttention() {}

  /** Problems whose keys are split as they say, some of them without keys. */
  static List<AttentionCases.Setup> setups() {
    var one = new Sizes(3, 1, 600, 8, 2, 128, 128);
    var all = new ArrayList<>(List.of(
        split(AttentionCases.band(ElementType.BF16, one, Band.ALL), new KeySplits.Ranges(3)),
        split(AttentionCases.band(ElementType.BF16, new Sizes(1, 1, 1100, 4, 1, 64, 64), Band.ALL),
            KeySplits.AUTOMATIC),
        split(AttentionCases.band(ElementType.F16, new Sizes(1, 5, 400, 6, 2, 64, 128), Band.CAUSAL),
            new KeySplits.Fixed(128)),
        split(AttentionCases.band(ElementType.BF16, new Sizes(1, 3, 700, 2, 2, 64, 64), Band.window(200, 0)),
            new KeySplits.Ranges(4)),
        // Several warpgroups, and queries that see no key of a split.
        split(AttentionCases.band(ElementType.BF16, new Sizes(1, 150, 300, 2, 1, 128, 128), Band.CAUSAL),
            new KeySplits.Ranges(2)),
        split(AttentionCases.band(ElementType.BF16, new Sizes(1, 40, 1100, 4, 1, 64, 64), Band.ALL),
            KeySplits.AUTOMATIC)));
    all.add(used(one, new KeySplits.Fixed(128), Band.ALL, 600, 0, 129));
    all.add(used(new Sizes(2, 4, 300, 4, 2, 64, 64), KeySplits.AUTOMATIC, Band.CAUSAL, 77, 2));
    // Pages that a block divides, that divide it, and neither.
    all.add(paged(used(one, new KeySplits.Fixed(256), Band.ALL, 600, 0, 257), 256));
    all.add(paged(used(new Sizes(2, 3, 300, 4, 2, 64, 64), new KeySplits.Ranges(2), Band.CAUSAL, 300, 33), 16));
    // The merging launch adds the sinks; without splits the kernel itself does.
    for (int count : new int[] {1, 3}) {
      all.add(AttentionSinks.with(used(one, new KeySplits.Ranges(count), Band.ALL, 600, 0, 129)));
    }
    all.add(ApartStatistics.with(used(one, new KeySplits.Fixed(256), Band.ALL, 600, 0, 257)));
    all.add(ApartStatistics.with(AttentionSinks.with(used(one, new KeySplits.Ranges(3), Band.ALL, 600, 0, 129))));
    all.add(paged(used(new Sizes(2, 1, 300, 4, 2, 64, 128), new KeySplits.Ranges(1), Band.ALL, 299, 0), 40));
    all.add(padded(used(one, new KeySplits.Fixed(128), Band.ALL, 600, 20, 129)));
    all.add(padded(used(new Sizes(2, 4, 300, 4, 2, 64, 64), new KeySplits.Ranges(1), Band.CAUSAL, 77, 300)));
    all.add(padded(QuantizedAttention.perHead(used(one, new KeySplits.Fixed(256), Band.ALL, 600, 0, 257))));
    all.addAll(ofBytes());
    // A mask, and a function of scores without and with heads that share a tile: positions count from the first split.
    var changed = AttentionMods.setups();
    for (int i : new int[] {0, 3, 4}) all.add(split(changed.get(i), new KeySplits.Ranges(2)));
    return all;
  }

  /** Caches in codes of 8 bits. */
  private static List<AttentionCases.Setup> ofBytes() {
    var one = new Sizes(3, 1, 600, 8, 2, 128, 128);
    var few = new Sizes(2, 3, 300, 4, 2, 64, 64);
    return List.of(
        QuantizedAttention.perHead(
            split(AttentionCases.band(ElementType.BF16, one, Band.ALL), new KeySplits.Ranges(3))),
        QuantizedAttention.perBlock(used(few, new KeySplits.Fixed(128), Band.CAUSAL, 300, 33), 64, 128),
        QuantizedAttention.promoted(QuantizedAttention.perHead(
            split(AttentionCases.band(ElementType.F16, one, Band.ALL), new KeySplits.Fixed(256)))),
        paged(QuantizedAttention.perHead(used(one, new KeySplits.Fixed(256), Band.ALL, 600, 0, 257)), 64),
        QuantizedAttention.perHead(split(AttentionCases.band(ElementType.BF16, new Sizes(1, 150, 300, 2, 1, 128, 128),
            Band.CAUSAL), new KeySplits.Ranges(2))),
        ApartStatistics.with(QuantizedAttention.perHead(AttentionCases.band(ElementType.BF16,
            new Sizes(1, 40, 300, 2, 1, 64, 64), Band.CAUSAL))));
  }

  static AttentionCases.Setup split(AttentionCases.Setup setup, KeySplits splits) {
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + " split " + text(splits), p.with(p.serving().with(splits)),
        setup.rules());
  }

  private static String text(KeySplits splits) {
    return switch (splits) {
      case KeySplits.Balanced _ -> "balanced";
      case KeySplits.Automatic() -> "as is best";
      case KeySplits.Ranges(var count) -> "in " + count;
      case KeySplits.Fixed(var keys) -> "by " + keys + " keys";
    };
  }

  /** A cache with some keys of each batch entry in use. */
  public static AttentionCases.Setup used(Sizes sizes, KeySplits splits, Band band, int... lengths) {
    var setup = split(AttentionCases.band(ElementType.BF16, sizes, band), splits);
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + " of " + Arrays.toString(lengths) + " keys",
        p.with(p.serving().withLengths(LENGTHS)), setup.rules(), new int[0], lengths);
  }

  /** The same with keys in pages of that many rows, of which the cache has one more than it needs. */
  public static AttentionCases.Setup paged(AttentionCases.Setup setup, int rows) {
    var p = setup.problem();
    int pages = p.sizes().batch() * Math.ceilDiv(p.sizes().keys(), rows) + 1;
    return new AttentionCases.Setup(setup.name() + " in pages of " + rows,
        p.paged(new Serving.Pages(TABLE, rows, pages)), setup.rules(), setup.queries(), setup.keys());
  }

  /** A cache whose entries, but for the first, have rows before their first key, which their lengths count. */
  public static AttentionCases.Setup padded(AttentionCases.Setup setup) {
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + " behind a padding", p.with(p.serving().withPadding(PADDING)),
        setup.rules(), setup.queries(), setup.keys());
  }

  /** A cache of codes of 8 bits beside a Q of 16. */
  public static AttentionCases.Setup inCodes(AttentionCases.Setup setup, Serving.Codes codes) {
    var p = setup.problem();
    var views = Stream.of(p.k(), p.v()).map(QuantizedAttention::inBytes).toList();
    var inBytes = p.at(p.q(), views.get(0), views.get(1), p.o());
    return new AttentionCases.Setup(setup.name() + " in codes", inBytes.with(p.serving().with(codes)), setup.rules(),
        setup.queries(), setup.keys());
  }

  /** A cache of codes, each token of which has a factor for each head. */
  public static AttentionCases.Setup inCodesOfTokens(AttentionCases.Setup setup) {
    var p = setup.problem();
    int rows = p.serving().pages().map(Serving.Pages::rows).orElse(p.sizes().keys());
    var codes = inCodes(setup, Serving.Codes.perToken(rows, p.sizes().keyHeads()));
    return new AttentionCases.Setup(codes.name() + " of tokens", codes.problem(), codes.rules(), codes.queries(),
        codes.keys());
  }

  /** Adds the factors of codes. */
  static void drawFactors(AttentionProblem p, Serving.Codes codes, Map<String, MemorySegment> buffers, long seed) {
    if (codes.ofTokens()) {
      var random = new SplittableRandom(seed);
      long entries = p.serving().pages().map(Serving.Pages::count).orElse(p.sizes().batch());
      for (var factor : List.of(codes.k(), codes.v())) {
        buffers.put(factor.buffer(), Buffers.of(ElementType.F32, random.doubles(Math.max(1, entries * factor.batch()))
            .map(x -> QuantizedAttention.LARGEST_FACTOR * (1 - x)).toArray()));
      }
      return;
    }
    QuantizedAttention.draw(p, whole(codes.k()), p.sizes().keys(), p.sizes().keyHeads(), buffers, seed);
    QuantizedAttention.draw(p, whole(codes.v()), p.sizes().keys(), p.sizes().keyHeads(), buffers, seed + 1);
  }

  private static Factors whole(Serving.Factor factor) {
    return new Factors(factor.buffer(), Factors.WHOLE, 0, factor.head(), factor.batch());
  }

  /** Adds lengths and tables, and makes all keys and values NaN that no entry uses. */
  static void fill(AttentionCases.Setup setup, Map<String, MemorySegment> buffers, long seed) {
    var p = setup.problem();
    if (!p.serving().scatters()) return;
    p.serving().lengths().ifPresent(name -> buffers.put(name,
        Buffers.of(ElementType.I32, Arrays.stream(setup.keys()).asDoubleStream().toArray())));
    if (p.serving().tokens().isPresent()) ChosenTokens.fill(setup, p.serving().tokens().get(), buffers, seed);
    else if (p.serving().pages().isPresent()) fillPages(setup, p.serving().pages().get(), buffers, seed);
    else {
      for (int b = 0; b < setup.keys().length; b++) {
        for (int key = setup.keys()[b]; key < p.sizes().keys(); key++) spoil(p, buffers, b, key);
      }
    }
    p.serving().padding().ifPresent(name -> pad(setup, name, buffers));
    p.serving().requireFit(buffers, p.sizes().batch(), p.sizes().keys());
    p.serving().requireFactors(buffers, p.sizes().batch(), p.sizes().keys(), p.sizes().keyHeads());
  }

  private static void pad(AttentionCases.Setup setup, String name, Map<String, MemorySegment> buffers) {
    var before = IntStream.range(0, setup.keys().length).map(b -> Math.min(b * MORE_PADDING, setup.keys()[b]))
        .toArray();
    buffers.put(name, Buffers.of(ElementType.I32, Arrays.stream(before).asDoubleStream().toArray()));
    for (int b = 0; b < before.length; b++) {
      for (int row = 0; row < before[b]; row++) spoil(setup.problem(), buffers, b, row);
    }
  }

  /** Pages in any order; entries of the table that are not read are no pages. */
  private static void fillPages(AttentionCases.Setup setup, Serving.Pages pages, Map<String, MemorySegment> buffers,
      long seed) {
    var p = setup.problem();
    var s = p.sizes();
    long rows = (long) pages.count() * pages.rows() * s.keyHeads();
    buffers.put(p.k().buffer(), Buffers.normal(p.cacheType(), rows * s.headDim(), seed));
    if (!p.isLatent()) buffers.put(p.v().buffer(), Buffers.normal(p.cacheType(), rows * s.valueDim(), seed + 1));
    var free = new ArrayList<>(IntStream.range(0, pages.count()).boxed().toList());
    Collections.shuffle(free, new Random(seed));
    int each = pages.ofEntry(s.keys());
    var table = new double[s.batch() * each];
    Arrays.fill(table, Integer.MAX_VALUE);
    for (int b = 0; b < s.batch(); b++) {
      int used = pages.ofEntry(setup.keys()[b]);
      for (int i = 0; i < used; i++) {
        int page = free.removeLast();
        table[b * each + i] = page;
        for (int key = setup.keys()[b]; key < (i + 1) * pages.rows(); key++) {
          if (key >= i * pages.rows()) spoil(p, buffers, page, key % pages.rows());
        }
      }
    }
    free.forEach(page -> IntStream.range(0, pages.rows()).forEach(row -> spoil(p, buffers, page, row)));
    buffers.put(pages.table(), Buffers.of(ElementType.I32, table));
  }

  static void spoil(AttentionProblem p, Map<String, MemorySegment> buffers, int entry, int row) {
    spoil(p, p.k(), p.sizes().headDim(), buffers, entry, row);
    spoil(p, p.v(), p.sizes().valueDim(), buffers, entry, row);
    p.serving().codes().filter(Serving.Codes::ofTokens).ifPresent(codes -> {
      for (var factor : List.of(codes.k(), codes.v())) {
        for (int head = 0; head < p.sizes().keyHeads(); head++) {
          buffers.get(factor.buffer()).setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED,
              entry * factor.batch() + row * factor.token() + head * factor.head(), Float.NaN);
        }
      }
    });
  }

  private static void spoil(AttentionProblem p, View v, int dim, Map<String, MemorySegment> buffers, int entry,
      int row) {
    int bytes = p.cacheType().bytes();
    for (int head = 0; head < p.sizes().keyHeads(); head++) {
      long first = v.offset() + (entry * v.batch() + row * v.sequence() + head * v.head()) * bytes;
      buffers.get(v.buffer()).asSlice(first, (long) dim * bytes).fill((byte) 0xFF);
    }
  }
}
