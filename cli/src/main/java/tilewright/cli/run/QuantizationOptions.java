package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Format;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionQuantizer;
import tilewright.kernels.attention.AttentionQuantizer.Scales;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.ops.Mxf8Quantizer;
import tilewright.reference.TensorView;

/** Options of {@code run attention} with 8-bit types: how numbers become codes, or the factors of codes in files. */
final class QuantizationOptions {
  private static final String BLOCK = "block:";
  private static final String TOKEN = "token";
  /** Codes that a tensor copy moves at once: 16 bytes. */
  private static final int ALIGNED = 16;

  @Option(names = "--scales", paramLabel = "tensor|head|block:ROWS|token",
      description = "With e4m3: the elements that share a factor: all of Q, K or V, those of a head, or those of so "
          + "many rows of a head (default: head). With --kv-dtype e4m3 also those of a token in a head.")
  private Optional<String> scales;

  @Option(names = "--hadamard", paramLabel = "SEED",
      description = "With e4m3: multiply Q and K by random signs and a Hadamard matrix before they are rounded.")
  private Optional<Long> hadamard;

  @Option(names = "--descale-q", paramLabel = "FILE",
      description = "The factors of Q's codes, f32: one, or B×H, or B×H×blocks with --scales block:ROWS (default: "
          + "1). With --varlen, B is the number of sequences.")
  private Optional<String> descaleQ;

  @Option(names = "--descale-k", paramLabel = "FILE", description = "Those of K's codes, likewise; with "
      + "--scales token K's extents without its columns.")
  private Optional<String> descaleK;

  @Option(names = "--descale-v", paramLabel = "FILE", description = "Those of V's codes, likewise.")
  private Optional<String> descaleV;

  @Option(names = "--accumulation", paramLabel = "fast|promoted",
      description = "With e4m3 and mxf8: whether tensor cores sum P·V over all keys, or each block's is added to O in "
          + "FP32, which is more exact with many keys (default: fast).")
  private Optional<String> accumulation;

  @Option(names = "--out-dtype", paramLabel = "f16|bf16",
      description = "With e4m3 and mxf8: the type of O (default: that of Q's file where it has 16 bits, else bf16).")
  private Optional<String> outDtype;

  /**
   * Checks that options and types of files go together.
   *
   * @param format of Q, K and V, or where the cache has codes, that of Q
   * @param cacheCodes whether K and V are codes beside a Q of numbers
   * @param dims head dimensions of the files
   * @throws CommandFailure naming those that do not
   */
  void check(String format, boolean cacheCodes, List<TensorFile> files, List<Integer> dims) {
    var quantizing = new ArrayList<String>();
    hadamard.ifPresent(_ -> quantizing.add("--hadamard"));
    var descaling = new ArrayList<String>();
    descaleQ.ifPresent(_ -> descaling.add("--descale-q"));
    descaleK.ifPresent(_ -> descaling.add("--descale-k"));
    descaleV.ifPresent(_ -> descaling.add("--descale-v"));
    boolean blockScaled = format.equals(Format.MXF8.text());
    boolean factors = format.equals(Format.E4M3.text());
    if (!factors) {
      var others = new ArrayList<String>();
      if (!cacheCodes) scales.ifPresent(_ -> others.add("--scales"));
      if (!blockScaled) {
        outDtype.ifPresent(_ -> others.add("--out-dtype"));
        accumulation.ifPresent(_ -> others.add("--accumulation"));
      }
      others.addAll(quantizing);
      if (cacheCodes) descaleQ.ifPresent(_ -> others.add("--descale-q"));
      else others.addAll(descaling);
      if (!others.isEmpty()) throw CommandFailure.badInput("only with --dtype e4m3: " + String.join(", ", others));
    }
    if (cacheCodes) {
      if (factors || blockScaled) {
        throw CommandFailure.badInput("--kv-dtype e4m3 is for Q of 16 bits, but Q is " + format + ": leave it out");
      }
      files.stream().skip(1).forEach(QuantizationOptions::requireCodes);
    }
    if (!factors && !blockScaled) return;
    for (int i = 0; i < files.size(); i++) requireHeads(files.get(i), dims.get(i), format);
    if (blockScaled) files.forEach(QuantizationOptions::requireNumbers);
    else requireSame(files, quantizing, descaling);
  }

  private static void requireHeads(TensorFile file, int dim, String format) {
    if (dim % ALIGNED != 0) {
      throw CommandFailure.badFile(file.path(), "has head dimension " + dim + "; needed for "
          + format + " is a multiple of " + ALIGNED + ": append zeros, and give the --scale of before");
    }
  }

  private static void requireCodes(TensorFile file) {
    if (file.type() != ElementType.E4M3) {
      throw CommandFailure.badFile(file.path(), "has " + file.type().text() + "; needed for --kv-dtype e4m3 are codes: "
          + "F8_E4M3, or u1 or V1 in .npy");
    }
  }

  private static void requireNumbers(TensorFile file) {
    if (file.type().bytes() == 1) {
      throw CommandFailure.badFile(file.path(), "has codes of " + file.type().text() + "; needed for mxf8 are "
          + "numbers, whose scales are computed");
    }
  }

  /** Checks that all files have numbers, or all codes, and options for those. */
  private static void requireSame(List<TensorFile> files, List<String> quantizing, List<String> descaling) {
    var q = files.getFirst();
    for (var file : files) {
      if (file.type() == ElementType.E5M2) {
        throw CommandFailure.badFile(file.path(), "has codes of e5m2; needed are e4m3, or numbers to quantise");
      }
      if ((file.type() == ElementType.E4M3) != (q.type() == ElementType.E4M3)) {
        throw CommandFailure.badInput(file + " goes not with " + q + ": give codes for all of Q, K and V, or for none");
      }
    }
    boolean codes = q.type() == ElementType.E4M3;
    if (codes && !quantizing.isEmpty()) {
      throw CommandFailure.badInput("--hadamard transforms numbers, but " + q + " has codes: transform Q and K before "
          + "they are quantised");
    }
    if (!codes && !descaling.isEmpty()) {
      throw CommandFailure.badInput(String.join(", ", descaling) + " goes with codes, but " + q
          + " has numbers, whose factors are computed: leave it out");
    }
  }

  /** Whether the P·V of each block is added to O in FP32. */
  boolean promoted() {
    return accumulation.filter(how -> switch (how) {
      case "fast" -> false;
      case "promoted" -> true;
      default -> throw CommandFailure.badInput("invalid --accumulation " + how + ": fast or promoted");
    }).isPresent();
  }

  /** Quantises numbers (B,S,H,D). */
  AttentionQuantizer.Operands quantize(List<TensorView> tensors, ElementType file, Arena arena) {
    var how = granularity();
    var quantizer = new AttentionQuantizer(output(file), how.scales, how.rows,
        hadamard.map(OptionalLong::of).orElseGet(OptionalLong::empty));
    try {
      return quantizer.quantize(tensors.get(0), tensors.get(1), tensors.get(2), arena);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  /** Quantises numbers (B,S,H,D) with a scale for 32 neighbours. */
  AttentionQuantizer.Operands quantizeBlocks(List<TensorView> tensors, ElementType file, Optional<Packed> packed,
      Map<String, MemorySegment> lengths, Arena arena) {
    var quantizer = new Mxf8Quantizer(output(file));
    return packed.map(p -> quantizer.quantizePacked(tensors.get(0), tensors.get(1), tensors.get(2),
            lengths.get(p.queries()).toArray(ValueLayout.JAVA_INT), lengths.get(p.keys()).toArray(ValueLayout.JAVA_INT),
            arena))
        .orElseGet(() -> quantizer.quantize(tensors.get(0), tensors.get(1), tensors.get(2), arena));
  }

  /**
   * Codes as they are, with the factors of files.
   *
   * @param entries batch entries, or packed sequences
   */
  AttentionQuantizer.Operands given(List<TensorFile> codes, Sizes s, int entries, Arena arena) {
    var buffers = new HashMap<String, MemorySegment>();
    for (int i = 0; i < codes.size(); i++) {
      buffers.put(AttentionFileOptions.OPERANDS.get(i), AttentionFileOptions.nonEmpty(codes.get(i).data(), arena));
    }
    var quantized = new Quantized(output(ElementType.E4M3), ElementType.E4M3,
        factors("descaleQ", descaleQ, s.queries(), s.heads(), entries, buffers, arena),
        factors("descaleK", descaleK, s.keys(), s.keyHeads(), entries, buffers, arena),
        factors("descaleV", descaleV, s.keys(), s.keyHeads(), entries, buffers, arena));
    return new AttentionQuantizer.Operands(quantized, buffers);
  }

  /**
   * The factors of K's and V's codes beside a Q of numbers.
   *
   * @param keys the file of K
   */
  Serving.Codes codes(Sizes s, TensorFile keys, AttentionFileLayout layout, Map<String, MemorySegment> buffers,
      Arena arena) {
    if (scales.filter(TOKEN::equals).isPresent()) {
      return new Serving.Codes(ofTokens("descaleK", "--descale-k", descaleK, keys, layout, buffers, arena),
          ofTokens("descaleV", "--descale-v", descaleV, keys, layout, buffers, arena));
    }
    if (scales.filter(name -> name.startsWith(BLOCK)).isPresent()) {
      throw CommandFailure.badInput("invalid --scales " + scales.get() + " with --kv-dtype e4m3: tensor, head or "
          + "token");
    }
    return new Serving.Codes(factor(factors("descaleK", descaleK, s.keys(), s.keyHeads(), s.batch(), buffers, arena)),
        factor(factors("descaleV", descaleV, s.keys(), s.keyHeads(), s.batch(), buffers, arena)));
  }

  private static Serving.Factor factor(Factors factors) {
    return new Serving.Factor(factors.buffer(), 0, factors.head(), factors.batch());
  }

  /** A factor for each head of each row of K's file. */
  private static Serving.Factor ofTokens(String name, String option, Optional<String> where, TensorFile keys,
      AttentionFileLayout layout, Map<String, MemorySegment> buffers, Arena arena) {
    var file = TensorFile.read(where.orElseThrow(() ->
        CommandFailure.badInput("--scales token needs " + option + ", a factor for each head of each token")), arena);
    var expected = keys.shape().subList(0, keys.shape().size() - 1);
    if (file.type() != ElementType.F32 || !file.shape().equals(expected)) {
      throw CommandFailure.badFile(file.path(), "has " + AttentionFileOptions.text(file.shape()) + " elements of "
          + file.type().text() + "; needed for " + name + " are " + AttentionFileOptions.text(expected) + " of f32");
    }
    buffers.put(name, AttentionFileOptions.nonEmpty(file.data(), arena));
    var place = layout.view(name, layout.rows(keys), layout.heads(keys), 1);
    return new Serving.Factor(name, place.sequence(), place.head(), place.batch());
  }

  private Factors factors(String name, Optional<String> where, int sequence, int heads, int entries,
      Map<String, MemorySegment> buffers, Arena arena) {
    if (where.isEmpty()) {
      buffers.put(name, arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1));
      return Factors.perTensor(name);
    }
    var file = TensorFile.read(where.get(), arena);
    var how = granularity();
    var factors = how.scales == Scales.BLOCK ? Factors.perBlock(name, heads, sequence, how.rows)
        : Factors.perHead(name, heads);
    var expected = new ArrayList<>(List.of((long) entries, (long) heads));
    if (how.scales == Scales.BLOCK) expected.add((long) factors.blocks(sequence));
    boolean single = file.shape().stream().allMatch(extent -> extent == 1);
    if (file.type() != ElementType.F32 || !single && (how.scales == Scales.TENSOR || !file.shape().equals(expected))) {
      throw CommandFailure.badFile(file.path(), "has " + AttentionFileOptions.text(file.shape()) + " elements of "
          + file.type().text() + "; needed for " + name + " are "
          + (how.scales == Scales.TENSOR ? "1" : AttentionFileOptions.text(expected) + ", or 1,") + " of f32"
          + (how.scales == Scales.HEAD && file.shape().size() == 3 ? "; say --scales block:ROWS for blocks" : ""));
    }
    requirePositive(file);
    buffers.put(name, AttentionFileOptions.nonEmpty(file.data(), arena));
    return single ? Factors.perTensor(name) : factors;
  }

  /** A kernel takes a row's largest score before it multiplies by the factors. */
  private static void requirePositive(TensorFile file) {
    for (long i = 0; i < file.data().byteSize() / Float.BYTES; i++) {
      float factor = file.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      if (!(factor > 0 && Float.isFinite(factor))) {
        throw CommandFailure.badFile(file.path(), "element " + i + " is " + factor
            + "; needed are factors that are positive and finite");
      }
    }
  }

  private ElementType output(ElementType file) {
    return outDtype.map(name -> GemmFileOptions.type("--out-dtype", name, ElementType.F16, ElementType.BF16))
        .orElse(file.bytes() == 2 ? file : ElementType.BF16);
  }

  /** @param rows that share a factor */
  private record Granularity(Scales scales, int rows) {}

  private Granularity granularity() {
    var name = scales.orElse("head");
    if (name.matches(BLOCK + "[1-9][0-9]{0,8}")) {
      return new Granularity(Scales.BLOCK, Integer.parseInt(name.substring(BLOCK.length())));
    }
    return switch (name) {
      case "tensor" -> new Granularity(Scales.TENSOR, Factors.WHOLE);
      case "head" -> new Granularity(Scales.HEAD, Factors.WHOLE);
      default -> throw CommandFailure.badInput("invalid --scales " + name + ": tensor, head or block:ROWS, such as "
          + "block:128" + (name.equals(TOKEN) ? "; token goes with --kv-dtype e4m3" : ""));
    };
  }
}
