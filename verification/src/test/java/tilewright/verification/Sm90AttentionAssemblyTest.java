package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving.Pages;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;

/** Assembles Hopper attention: without spills, and without serialised {@code wgmma}. */
class Sm90AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final int BLOCK_BYTES = 232448;

  static List<Arguments> problems() {
    var forms = Stream.of(Arguments.of(ElementType.BF16, sizes(4096, 64, 64)),
        Arguments.of(ElementType.BF16, sizes(4096, 128, 128)), Arguments.of(ElementType.BF16, sizes(16384, 128, 128)),
        Arguments.of(ElementType.BF16, sizes(4096, 192, 128)), Arguments.of(ElementType.F16, sizes(4096, 192, 192)),
        Arguments.of(ElementType.F16, sizes(4096, 96, 96)), Arguments.of(ElementType.BF16, sizes(512, 256, 256)),
        Arguments.of(ElementType.BF16, sizes(8192, 256, 256)));
    return LongSuite.of(forms.flatMap(form -> Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0))
        .map(band -> Arguments.of(form.get()[0], form.get()[1], band))).toList());
  }

  private static Sizes sizes(int length, int headDim, int valueDim) {
    return new Sizes(1, length, length, 1, 1, headDim, valueDim);
  }

  static List<Arguments> changed() {
    MaskMod document = (_, _, q, k) -> k.lessThan(q.plus(1)).and(q.dividedBy(500).equalTo(k.dividedBy(500)));
    ScoreMod alibi = (score, _, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-4).exp2(), score);
    return LongSuite.of(Stream.of(64, 96, 128, 256).flatMap(dim -> {
      var plain = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 4096, 4096, 2, dim));
      var masked = plain.with(new Modification(Optional.empty(), Optional.of(document)));
      return Stream.of(Arguments.of("packed", dim, plain.with(Band.CAUSAL).with(new Packed("cuQ", "cuK", 5, 4096))),
          Arguments.of("ALiBi", dim, plain.with(Band.CAUSAL)
              .with(new Modification(Optional.of(alibi), Optional.empty()))),
          Arguments.of("documents", dim, masked), Arguments.of("documents skipping blocks", dim, masked.skipping()),
          Arguments.of("packed documents skipping blocks", dim,
              masked.with(new Packed("cuQ", "cuK", 5, 4096)).skipping()),
          Arguments.of("documents in a window, skipping blocks", dim, masked.with(Band.window(512, 0)).skipping()),
          Arguments.of("ALiBi in packed documents in a window, skipping blocks", dim,
              plain.with(new Modification(Optional.of(alibi), Optional.of(document))).with(Band.window(512, 0))
                  .with(new Packed("cuQ", "cuK", 5, 4096)).skipping()),
          Arguments.of("ALiBi in documents", dim,
              plain.with(new Modification(Optional.of(alibi), Optional.of(document))).skipping()));
    }).toList());
  }

  /** One query of heads that share a tile, and sixteen. */
  static List<Arguments> few() {
    ScoreMod alibi = (score, _, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-4).exp2(), score);
    return LongSuite.of(Stream.of(64, 96, 128, 192, 256).flatMap(dim -> {
      var one = AttentionProblem.dense(ElementType.BF16, new Sizes(4, 1, 4096, 10, 2, dim, dim));
      var sixteen = AttentionProblem.dense(ElementType.F16, new Sizes(1, 16, 4096, 16, 2, dim, dim));
      return Stream.of(Arguments.of("one", dim, one), Arguments.of("sixteen", dim, sixteen),
          Arguments.of("causal", dim, sixteen.with(Band.CAUSAL)),
          Arguments.of("packed", dim, sixteen.with(Band.window(512, 0)).with(new Packed("cuQ", "cuK", 5, 4))),
          Arguments.of("ALiBi", dim, one.with(new Modification(Optional.of(alibi), Optional.empty()))),
          Arguments.of("sixteen with ALiBi", dim,
              sixteen.with(Band.CAUSAL).with(new Modification(Optional.of(alibi), Optional.empty()))));
    }).toList());
  }

  /** Split keys, lengths that the launch reads, and pages that blocks divide or are divided by. */
  static List<Arguments> caches() {
    return LongSuite.of(Stream.of(64, 96, 128, 192, 256).flatMap(dim -> {
      var one = AttentionProblem.dense(ElementType.BF16, new Sizes(8, 1, 16384, 32, 8, dim, dim));
      var sixteen = AttentionProblem.dense(ElementType.F16, new Sizes(2, 16, 16384, 16, 4, dim, dim))
          .with(Band.CAUSAL);
      var used = one.with(one.serving().withLengths("used"));
      var many = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 512, 16384, 2, dim)).with(Band.CAUSAL);
      return Stream.of(Arguments.of("pages of 16", dim, used.paged(new Pages("table", 16, 8192))),
          Arguments.of("split", dim, one), Arguments.of("sixteen split", dim, sixteen),
          Arguments.of("lengths", dim, used),
          Arguments.of("pages of 256", dim, used.paged(new Pages("table", 256, 512))),
          Arguments.of("many split", dim, many.with(many.serving().with(new KeySplits.Ranges(4)))));
    }).toList());
  }

  /** Sinks, whose logits are read beside full registers. */
  static List<Arguments> sinks() {
    return LongSuite.of(Stream.of(64, 96, 128, 192, 256).flatMap(dim -> {
      var sizes = Sizes.of(1, 8192, 8192, 2, dim);
      var plain = AttentionProblem.dense(ElementType.BF16, sizes).with(Band.CAUSAL);
      var bytes = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes).with(Band.CAUSAL);
      var few = AttentionProblem.dense(ElementType.BF16, new Sizes(4, 1, 4096, 10, 2, dim, dim));
      return Stream.of(Arguments.of("causal with sinks", dim, plain.withSinks("sinks")),
          Arguments.of("window with sinks", dim, plain.with(Band.window(512, 0)).withSinks("sinks")),
          Arguments.of("bytes with sinks", dim, bytes.withSinks("sinks")),
          Arguments.of("one with sinks", dim, few.withSinks("sinks")));
    }).toList());
  }

  /** Maxima and sums apart, as the Python package has them: two places of each row. */
  static List<Arguments> apart() {
    return LongSuite.of(Stream.of(64, 128).flatMap(dim -> {
      var sizes = new Sizes(2, 4096, 4096, 8, 2, dim, dim);
      var plain = AttentionProblem.dense(ElementType.BF16, sizes).with(AttentionProblem.Apart.dense(sizes));
      return Stream.of(Arguments.of("causal apart", dim, plain.with(Band.CAUSAL)), Arguments.of("apart", dim, plain),
          Arguments.of("window apart", dim, plain.with(Band.window(512, 0))));
    }).toList());
  }

  /** Functions that read a number for each score, beside masks, lists and bounds. */
  static List<Arguments> reading() {
    return LongSuite.of(Stream.of(128, 64, 96, 192, 256).flatMap(dim -> {
      var plain = read(dim);
      var window = plain.with(Band.window(512, 0));
      return Stream.of(Arguments.of("biased documents skipping blocks", dim,
          inDocuments(biased(plain.with(Band.CAUSAL))).skipping()),
          Arguments.of("biased documents", dim, inDocuments(biased(window))),
          Arguments.of("bias in a window", dim, biased(window)));
    }).toList());
  }

  /** Forms of these that spill where strides in bytes and the like are computed for all warps at the kernel's begin. */
  static List<Arguments> readingAnew() {
    var packed = new Packed("cuQ", "cuK", 1, 2048);
    var sizes = read(128).sizes();
    var bytes = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes);
    return List.of(
        Arguments.of("biased packed documents", 256, inDocuments(biased(read(256).with(packed).with(Band.CAUSAL)))),
        Arguments.of("biased packed documents skipping blocks", 192,
            inDocuments(biased(read(192).with(packed).with(Band.CAUSAL))).skipping()),
        Arguments.of("biased documents of bytes skipping blocks", 128, inDocuments(biased(bytes)).skipping()));
  }

  /** Forms of these with 8-bit operands that spill in blocks of 64 keys. */
  static List<Arguments> readingBytes() {
    return LongSuite.of(Stream.of(Arguments.of("biased documents skipping blocks", 96, wholeHeads(96).skipping()),
        Arguments.of("biased documents", 192, wholeHeads(192)),
        Arguments.of("biased documents skipping blocks", 192, wholeHeads(192).skipping()),
        Arguments.of("biased documents, factors of blocks", 96, ofBlocks(96)),
        Arguments.of("biased documents, factors of blocks", 128, ofBlocks(128)),
        Arguments.of("biased documents skipping blocks, factors of blocks", 128, ofBlocks(128).skipping())).toList());
  }

  private static AttentionProblem wholeHeads(int dim) {
    var sizes = read(dim).sizes();
    return inDocuments(biased(AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes)
        .with(Band.CAUSAL)));
  }

  private static AttentionProblem ofBlocks(int dim) {
    var sizes = read(dim).sizes();
    return inDocuments(biased(AttentionProblem.dense(Quantized.perBlock(ElementType.BF16, sizes, 128, 128), sizes)
        .with(Band.CAUSAL)));
  }

  private static AttentionProblem read(int dim) {
    return AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 2048, 2048, 8, dim));
  }

  private static AttentionProblem biased(AttentionProblem problem) {
    var bias = CapturedTensor.of("bias", ElementType.BF16, 3);
    return Attention.of(problem).score((score, _, h, q, k) -> score.plus(bias.at(h, q, k)))
        .capture(bias, 8, 2048, 2048).problem();
  }

  private static AttentionProblem inDocuments(AttentionProblem problem) {
    var documents = CapturedTensor.of("documents", ElementType.I32, 2);
    return Attention.of(problem).mask((b, _, q, k) -> documents.integerAt(b, q).equalTo(documents.integerAt(b, k)))
        .capture(documents, 1, 2048).problem();
  }

  /** Operands of 8 bits, whose producer transposes V and has few registers: tiles of each list, and few queries. */
  static List<Arguments> bytes() {
    return LongSuite.of(everyBytes());
  }

  /** Long sequences, whose blocks do not wait for their largest scores. */
  static List<Arguments> anticipating() {
    return LongSuite.of(Stream.of(64, 96, 128).flatMap(dim -> {
      var sizes = Sizes.of(1, 16384, 16384, 2, dim);
      var heads = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes);
      return Stream.of(heads, heads.with(Band.CAUSAL)).flatMap(p -> Stream.of(Arguments.of(p.band() + "", dim, p),
          Arguments.of(p.band() + " with sinks", dim, p.withSinks("sinks"))));
    }).toList());
  }

  /** Column-major V, which no warp transposes. */
  static List<Arguments> columns() {
    return leastSample(everyBytes().stream().map(form -> Arguments.of(form.get()[0], form.get()[1],
        byColumns((AttentionProblem) form.get()[2]))).toList());
  }

  /** P·V of a block beside O, which takes most registers, for rows of V and for columns. */
  static List<Arguments> promoted() {
    var forms = everyBytes().stream().map(form -> Arguments.of(form.get()[0], form.get()[1],
        ((AttentionProblem) form.get()[2]).promoted())).filter(form -> new Sm90AttentionKernel()
            .refusal((AttentionProblem) form.get()[2]).isEmpty());
    return leastSample(forms.flatMap(form -> {
      var problem = (AttentionProblem) form.get()[2];
      return Stream.of(form, Arguments.of(form.get()[0] + " by columns", form.get()[1], byColumns(problem)));
    }).toList());
  }

  /** A sample of a sample, where not all are tried: each takes a second. */
  private static List<Arguments> leastSample(List<Arguments> forms) {
    return LongSuite.of(LongSuite.of(forms));
  }

  private static AttentionProblem byColumns(AttentionProblem p) {
    var s = p.sizes();
    return p.at(p.q(), p.k(), View.bhds("V", s.keyHeads(), s.valueDim(), s.keys()), p.o());
  }

  private static List<Arguments> everyBytes() {
    return Stream.of(64, 96, 128, 192, 256).flatMap(dim -> {
      var sizes = Sizes.of(1, 8192, 8192, 2, dim);
      var heads = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes);
      var blocks = AttentionProblem.dense(Quantized.perBlock(ElementType.F16, sizes, 128, 128), sizes);
      var few = new Sizes(4, 1, 4096, 10, 2, dim, dim);
      MaskMod document = (_, _, q, k) -> q.dividedBy(500).equalTo(k.dividedBy(500));
      return Stream.of(Arguments.of("all keys", dim, heads), Arguments.of("causal", dim, heads.with(Band.CAUSAL)),
          Arguments.of("window", dim, heads.with(Band.window(512, 0))), Arguments.of("blocks", dim, blocks),
          Arguments.of("causal blocks", dim, blocks.with(Band.CAUSAL)),
          Arguments.of("packed", dim, heads.with(Band.CAUSAL).with(new Packed("cuQ", "cuK", 5, 4096))),
          Arguments.of("documents skipping blocks", dim,
              heads.with(new Modification(Optional.empty(), Optional.of(document))).skipping()),
          Arguments.of("one", dim, AttentionProblem.dense(Quantized.perBlock(ElementType.BF16, few, 64, 128), few)));
    }).toList();
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource({"bytes", "anticipating", "columns", "promoted", "few", "changed", "sinks", "apart", "reading",
      "readingAnew", "readingBytes"})
  void neitherSpillsNorWarns(String name, int dim, AttentionProblem problem) {
    assertIsAssembledWell(problem);
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("problems")
  void isAssembledWithoutSpillsAndWarnings(ElementType type, Sizes sizes, Band band) {
    assertIsAssembledWell(AttentionProblem.dense(type, sizes).with(band));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("caches")
  void cachesNeitherSpillNorWarn(String name, int dim, AttentionProblem problem) {
    new Sm90AttentionKernel().launches(problem).launches().forEach(launch -> assertIsAssembledWell(launch.kernel()));
  }

  /** Tiles of three warpgroups where the launch reads lengths, and splits behind a diagonal. */
  @Test
  void manyQueriesOnCachesNeitherSpillNorWarn() {
    var plain = AttentionProblem.dense(ElementType.BF16, new Sizes(2, 512, 8192, 8, 2, 64, 64));
    var used = plain.with(plain.serving().withLengths("used"));
    var split = used.with(Band.CAUSAL).with(used.serving().with(new KeySplits.Ranges(4)));
    for (var problem : List.of(used, split)) {
      var launches = new Sm90AttentionKernel().withoutPacking().launches(problem).launches();
      assertIsAssembledWell(launches.getFirst().kernel());
    }
  }

  private static void assertIsAssembledWell(AttentionProblem problem) {
    assertIsAssembledWell(new Sm90AttentionKernel().prepare(problem).kernel());
  }

  private static void assertIsAssembledWell(CompiledKernel kernel) {
    assertEquals(Math.min(BLOCK_BYTES, kernel.dynamicSharedBytes()), kernel.dynamicSharedBytes());
    switch (ASSEMBLER.assemble(kernel.ptx(), "sm_90a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
