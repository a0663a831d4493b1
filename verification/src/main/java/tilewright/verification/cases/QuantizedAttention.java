package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/** Attention of e4m3 codes: the problems of 16-bit operands, and factors of every granularity. */
public final class QuantizedAttention {
  private static final ElementType BF16 = ElementType.BF16;
  private static final ElementType F16 = ElementType.F16;
  /** Elements of a code that tensor copies move at once: 16 bytes. */
  private static final int ALIGNED = 16;
  /** Factors are drawn from above 0 to this, as in FlashAttention-3's own tests. */
  static final float LARGEST_FACTOR = 2;

  private QuantizedAttention() {}

  /** Problems small enough for the simulator. */
  public static List<AttentionCases.Setup> small() {
    var all = new ArrayList<AttentionCases.Setup>();
    AttentionCases.small().stream().filter(QuantizedAttention::isAligned)
        .forEach(setup -> all.add(perHead(setup)));
    all.add(perHead(AttentionCases.band(BF16, new Sizes(1, 40, 70, 2, 1, 48, 80), Band.ALL)));
    // Tiles of keys with a tail, by factors of every granularity.
    for (var band : List.of(Band.ALL, Band.CAUSAL, Band.window(150, 20))) {
      all.add(perBlock(AttentionCases.band(BF16, new Sizes(1, 150, 300, 2, 1, 128, 128), band), 128, 128));
    }
    all.add(perBlock(AttentionCases.band(BF16, Sizes.of(2, 130, 270, 2, 64), Band.CAUSAL), 64, 128));
    all.add(perBlock(AttentionCases.band(F16, Sizes.of(1, 200, 260, 1, 256), Band.CAUSAL), 128, 128));
    all.add(perBlock(AttentionCases.band(BF16, new Sizes(1, 70, 260, 2, 1, 192, 128), Band.ALL), 128, 256));
    all.add(perBlock(AttentionCases.band(BF16, new Sizes(2, 3, 300, 8, 2, 64, 64), Band.CAUSAL), 64, 128));
    all.add(perTensor(AttentionCases.band(F16, new Sizes(2, 130, 300, 4, 2, 128, 128), Band.CAUSAL)));
    all.add(perTensor(AttentionCases.packed(2, 2)));
    all.add(apart(AttentionCases.band(BF16, new Sizes(2, 140, 300, 4, 2, 64, 64), Band.ALL)));
    all.add(inE5m2(AttentionCases.band(BF16, Sizes.of(1, 130, 270, 1, 128), Band.CAUSAL)));
    all.add(inE5m2(AttentionCases.band(F16, new Sizes(1, 2, 150, 4, 1, 64, 64), Band.ALL)));
    // Enough keys for blocks that refer to the largest scores of those before.
    all.add(perHead(AttentionCases.band(F16, Sizes.of(1, 70, 2100, 1, 64), Band.ALL)));
    all.add(perHead(AttentionCases.band(BF16, Sizes.of(1, 100, 2050, 1, 96), Band.CAUSAL)));
    for (int dim : new int[] {64, 128}) {
      all.add(promoted(perHead(AttentionCases.band(BF16, new Sizes(1, 130, 300, 2, 1, dim, dim), Band.CAUSAL))));
      var window = AttentionCases.band(F16, Sizes.of(1, 70, 260, 1, dim), Band.window(100, 20));
      all.add(promoted(perBlock(window, 64, 128)));
    }
    return all;
  }

  /** Problems that only a GPU computes in reasonable time. */
  static List<AttentionCases.Setup> large() {
    return AttentionCases.large().stream()
        .flatMap(setup -> Stream.of(perHead(setup), perBlock(setup, 128, 128))).toList();
  }

  static boolean isAligned(AttentionCases.Setup setup) {
    var s = setup.problem().sizes();
    return s.headDim() % ALIGNED == 0 && s.valueDim() % ALIGNED == 0;
  }

  private static Quantized perHead(AttentionProblem p) {
    return Quantized.perHead(p.type(), p.sizes());
  }

  /** A problem with a factor for each head of each batch entry or sequence. */
  public static AttentionCases.Setup perHead(AttentionCases.Setup setup) {
    return quantized(setup, perHead(setup.problem()));
  }

  /** A problem of 16-bit operands in codes of 8 bits; O keeps its type. */
  public static AttentionCases.Setup quantized(AttentionCases.Setup setup, Quantized quantized) {
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name(), new AttentionProblem(ElementType.E4M3, p.sizes(), inBytes(p.q()),
        inBytes(p.k()), inBytes(p.v()), p.o(), p.lse(), p.scale(), p.band(), p.modification(), p.packed(),
        p.blockMask(), Optional.of(quantized), p.serving(), p.sinks(), p.apart()), setup.rules(), setup.queries(),
        setup.keys(), setup.captured());
  }

  /** The place of the same elements where each takes half as much. */
  static View inBytes(View v) {
    return new View(v.buffer(), v.offset() / 2, v.batch(), v.sequence(), v.head(), v.dim());
  }

  private static AttentionCases.Setup perTensor(AttentionCases.Setup setup) {
    return quantized(setup.named(setup.name() + ", factor per tensor"), new Quantized(setup.problem().type(),
        ElementType.E4M3, Factors.perTensor("descaleQ"), Factors.perTensor("descaleK"),
        Factors.perTensor("descaleV")));
  }

  static AttentionCases.Setup perBlock(AttentionCases.Setup setup, int queries, int keys) {
    return quantized(setup.named(setup.name() + ", factors per " + queries + " and " + keys + " rows"),
        Quantized.perBlock(setup.problem().type(), setup.problem().sizes(), queries, keys));
  }

  /** Factors of Q per block, heads fastest, of K for each batch entry and of V for each head, in one buffer of each. */
  private static AttentionCases.Setup apart(AttentionCases.Setup setup) {
    var s = setup.problem().sizes();
    int rows = 128;
    long blocks = Math.ceilDiv(s.queries(), rows);
    return quantized(setup.named(setup.name() + ", strided factors"), new Quantized(setup.problem().type(),
        ElementType.E4M3, new Factors("descaleQ", rows, 2L * s.heads(), 2, 2L * s.heads() * blocks),
        new Factors("descaleK", Factors.WHOLE, 0, 0, 3), new Factors("descaleV", Factors.WHOLE, 0, 5, 0)));
  }

  private static AttentionCases.Setup inE5m2(AttentionCases.Setup setup) {
    var perHead = perHead(setup.problem());
    return quantized(setup.named(setup.name() + ", P in e5m2"), new Quantized(perHead.output(), ElementType.E5M2,
        perHead.q(), perHead.k(), perHead.v()));
  }

  static AttentionCases.Setup promoted(AttentionCases.Setup setup) {
    return new AttentionCases.Setup(setup.name() + ", sums of blocks added in FP32", setup.problem().promoted(),
        setup.rules(), setup.queries(), setup.keys());
  }

  /** The types of a problem in words. */
  static String types(AttentionProblem p) {
    return p.format() + p.serving().codes().map(_ -> " on " + p.cacheType().text()).orElse("")
        + p.quantized().map(quantized -> " to " + quantized.output().text()).orElse("");
  }

  /** Adds random positive factors; what lies between them is NaN. */
  static void drawFactors(AttentionProblem p, Quantized quantized, Map<String, MemorySegment> buffers, long seed) {
    var s = p.sizes();
    draw(p, quantized.q(), s.queries(), s.heads(), buffers, seed);
    draw(p, quantized.k(), s.keys(), s.keyHeads(), buffers, seed + 1);
    draw(p, quantized.v(), s.keys(), s.keyHeads(), buffers, seed + 2);
  }

  /** Adds random factors of rows of some heads. */
  static void draw(AttentionProblem p, Factors factors, int rows, int heads,
      Map<String, MemorySegment> buffers, long seed) {
    int entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(p.sizes().batch());
    int blocks = factors.blocks(rows);
    // A buffer has at least one element, even where there are no heads or entries.
    long elements = 1 + Math.max(0, blocks - 1) * factors.block() + Math.max(0, heads - 1) * factors.head()
        + Math.max(0, entries - 1) * factors.batch();
    var buffer = buffers.computeIfAbsent(factors.buffer(), _ -> Buffers.poisoned(ElementType.F32, elements));
    var random = new SplittableRandom(seed);
    for (int entry = 0; entry < entries; entry++) {
      for (int head = 0; head < heads; head++) {
        for (int block = 0; block < blocks; block++) {
          long at = block * factors.block() + head * factors.head() + entry * factors.batch();
          buffer.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at,
              LARGEST_FACTOR * (1 - (float) random.nextDouble()));
        }
      }
    }
  }
}
