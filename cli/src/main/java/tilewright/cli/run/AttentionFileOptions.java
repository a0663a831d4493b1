package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.tensor.SequenceLengths;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Format;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/** The options of {@code run attention} that say what is computed from which files. */
final class AttentionFileOptions {
  static final List<String> OPERANDS = List.of("Q", "K", "V");
  private static final int ALIGNMENT = 256;
  /** Types of elements by the names of {@code --dtype}. */
  private static final SequencedMap<String, ElementType> TYPES = types();

  @Option(names = "--q", required = true, paramLabel = "FILE",
      description = "Q: f16, bf16 (V2 in .npy), f32 or f64, or codes of e4m3.")
  private String q;

  @Option(names = "--k", required = true, paramLabel = "FILE", description = "K.")
  private String k;

  @Option(names = "--v", paramLabel = "FILE", description = "V, unless that is a part of K (--latent).")
  private Optional<String> v;

  @Option(names = "--layout", paramLabel = "bshd|bhsd", defaultValue = "bshd",
      description = "The order of the files' modes (default: bshd).")
  private String layout;

  @Option(names = "--v-layout", paramLabel = "bhds",
      description = "V's file has neighbours along the keys, B×Hk×Dv×Sk, and sm90_attention or sm100_attention read it "
          + "so (default: as --layout says).")
  private Optional<String> layoutOfV;

  @Option(names = "--causal", description = "Queries see keys up to their own position, aligned at the end.")
  private boolean causal;

  @Option(names = "--window", paramLabel = "L,R", split = ",", arity = "1",
      description = "Queries see L keys before and R behind their own position; -1 is all.")
  private List<Integer> window = List.of();

  @Option(names = "--softcap", paramLabel = "X", description = "Bend scores into ±X by tanh.")
  private Optional<Float> softcap;

  @Option(names = "--scale", paramLabel = "X", description = "What scores are multiplied by (default: 1/√D).")
  private Optional<Float> scale;

  @Option(names = "--varlen", paramLabel = "FILE[,FILE]", split = ",", arity = "1",
      description = "Sequences of different lengths one after the other in a batch of 1: cumulated lengths (N+1 "
          + "i4, .npy) of queries and of keys, or of both.")
  private List<Path> varlen = List.of();

  @Option(names = "--dtype", paramLabel = "f16|bf16|e4m3|mxf8",
      description = "The type of Q, K and V in the computation (default: that of Q's file; f4 and f8 are rounded to "
          + "bf16). With e4m3, numbers are quantised; F8_E4M3, and u1 or V1 in .npy, are codes already. mxf8 is e4m3 "
          + "with a scale for 32 neighbours, for sm100_attention and sm120_attention; numbers are quantised.")
  private Optional<String> dtype;

  @Mixin
  private QuantizationOptions quantization;

  @Mixin
  private ModificationOptions modification;

  @Mixin
  private CacheOptions cache;

  @Mixin
  private PageOptions pages;

  @Mixin
  private SinkOptions sinks;

  @Mixin
  private LatentOptions latent;

  /** The problem, and buffers with what it reads. */
  record Inputs(Attention attention, Map<String, MemorySegment> buffers) {
    Sizes sizes() {
      return attention.problem().sizes();
    }

    ElementType type() {
      return attention.problem().type();
    }

    /** The type of O. */
    ElementType output() {
      return attention.problem().outputType();
    }

    /** Adds room for a tensor. */
    void allocate(Arena arena, String name, ElementType type, List<Long> shape) {
      buffers.put(name, arena.allocate(Math.max(1, bytes(type, shape)), ALIGNMENT));
    }
  }

  private static SequencedMap<String, ElementType> types() {
    var types = new LinkedHashMap<String, ElementType>();
    for (var type : List.of(ElementType.F16, ElementType.BF16, ElementType.E4M3)) types.put(type.text(), type);
    types.put(Format.MXF8.text(), ElementType.E4M3);
    return types;
  }

  /** @throws CommandFailure naming what does not fit together */
  Inputs read(Console console, Arena arena) {
    var codes = dtype.filter(ElementType.E4M3.text()::equals).map(_ -> ElementType.E4M3);
    var ofCache = cache.codes().or(() -> codes);
    var keys = TensorFile.read(k, arena, ofCache);
    var files = List.of(TensorFile.read(q, arena, codes), keys, values(keys, ofCache, arena));
    var type = type(files.getFirst());
    var table = pages.read(arena);
    var tokens = latent.read(arena);
    var sizes = sizes(files, table, tokens);
    latent.check(keys, sizes.keyHeads(), sizes.headDim(), type, cache.codes().isPresent());
    table.ifPresent(_ -> PageOptions.requireAsIs(files, type, blockScaled()));
    quantization.check(blockScaled() ? Format.MXF8.text() : type.text(), cache.codes().isPresent(), files,
        List.of(layout().dim(files.get(0)), layout().dim(files.get(1)), layoutOfV().dim(files.get(2))));
    return read(layoutOfV.isEmpty() ? files : List.of(files.get(0), files.get(1),
        AttentionFileLayout.padded(files.get(2), arena)), type, sizes, table, tokens, console, arena);
  }

  /** Checks that no option needs a V of its own where that is a part of K, or a single device's forward pass. */
  void checkLatent(boolean backward, boolean gpus) {
    latent.check(Map.of("--v", v.isPresent(), "--v-layout", layoutOfV.isPresent(), "--backward", backward, "--gpus",
        gpus, "--varlen", !varlen.isEmpty()));
  }

  /** V, or K where V is a part of that. */
  private TensorFile values(TensorFile keys, Optional<ElementType> ofBytes, Arena arena) {
    if (latent.columns().isPresent()) return keys;
    return TensorFile.read(v.orElseThrow(() -> CommandFailure.badInput("no V: give --v FILE, or with --latent N the "
        + "columns of K that are V")), arena, ofBytes);
  }

  private Inputs read(List<TensorFile> files, ElementType type, Sizes sizes, Optional<PageTable> table,
      Optional<ChosenTokens> tokens, Console console, Arena arena) {
    boolean quantized = type == ElementType.E4M3;
    var buffers = new HashMap<String, MemorySegment>();
    var packed = varlen.isEmpty() ? Optional.<Packed>empty() : Optional.of(packed(sizes, buffers, arena));
    var attention = quantized ? quantized(files, sizes, packed, buffers, arena) : Attention.forward(type, sizes);
    var keys = files.get(1);
    var values = files.get(2);
    table.ifPresent(t -> attention.pages(t.pages(keys.extent(0), layout().rows(keys))));
    tokens.ifPresent(t -> t.apply(attention, keys.extent(0), layout().rows(keys), buffers, arena));
    var placeOfK = view("K", layout().rows(keys), sizes.keyHeads(), sizes.headDim());
    options(attention, placeOfK, latent.columns().isPresent() ? placeOfK
        : layoutOfV().view("V", layoutOfV().rows(values), sizes.keyHeads(), sizes.valueDim()), packed);
    cache(attention, keys, buffers, arena);
    table.ifPresent(t -> t.apply(attention, buffers, arena));
    requireFactors(attention, buffers);
    sinks.apply(attention, buffers, arena);
    modification.apply(attention, buffers, arena);
    int operands = quantized ? 0 : latent.columns().isPresent() ? 2 : OPERANDS.size();
    for (int i = 0; i < operands; i++) {
      buffers.put(OPERANDS.get(i), elements(files.get(i), i == 0 ? type : attention.problem().cacheType(), console,
          arena));
    }
    modification.show(attention.problem(), buffers, console, arena);
    return new Inputs(attention, buffers);
  }

  private Attention quantized(List<TensorFile> files, Sizes sizes, Optional<Packed> packed,
      Map<String, MemorySegment> buffers, Arena arena) {
    var q = files.getFirst();
    var tensors = List.of(layout().tensor(q, sizes.queries()), layout().tensor(files.get(1), sizes.keys()),
        layoutOfV().tensor(files.get(2), sizes.keys()));
    if (blockScaled()) {
      if (layoutOfV.isPresent()) {
        throw CommandFailure.badInput("--v-layout does not go with --dtype mxf8, whose codes are rows of V: leave it "
            + "out, and give V as --layout says");
      }
      var operands = quantization.quantizeBlocks(tensors, q.type(), packed, buffers, arena);
      buffers.putAll(operands.buffers());
      return Attention.forward(operands.quantized(), sizes);
    }
    var operands = q.type() == ElementType.E4M3
        ? quantization.given(files, sizes, packed.map(Packed::sequences).orElse(sizes.batch()), arena)
        : quantization.quantize(tensors, q.type(), arena);
    buffers.putAll(operands.buffers());
    return Attention.forward(operands.quantized(), sizes);
  }

  /** A tensor in the order of the files' modes. */
  View view(String name, int rows, int heads, int dim) {
    return layout().view(name, rows, heads, dim);
  }

  /** Its extents in that order. */
  List<Long> shape(Sizes s, int rows, int heads, int dim) {
    return layout().shape(s.batch(), rows, heads, dim);
  }

  /** Writes such a tensor. */
  static void write(Path path, String name, ElementType type, List<Long> shape, Map<String, MemorySegment> buffers) {
    TensorFile.write(path, name, type, shape, buffers.get(name).asSlice(0, bytes(type, shape)));
  }

  private static long bytes(ElementType type, List<Long> shape) {
    return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
  }

  /** Reads a further tensor, of the extents that it must have. */
  void read(String name, String where, List<Long> shape, Inputs inputs, Console console, Arena arena) {
    var file = TensorFile.read(where, arena);
    if (!file.shape().equals(shape)) {
      throw CommandFailure.badFile(file.path(), "has " + text(file.shape()) + " elements; needed for " + name + " are "
          + text(shape));
    }
    inputs.buffers.put(name, elements(file, inputs.type(), console, arena));
  }

  static String text(List<Long> shape) {
    return shape.stream().map(String::valueOf).collect(Collectors.joining("×"));
  }

  private static MemorySegment elements(TensorFile file, ElementType type, Console console, Arena arena) {
    if (file.type() != type) console.note(file + " is rounded to " + type.text());
    return nonEmpty(file.elements(type, arena), arena);
  }

  /** The elements; of none, memory that they might be in. */
  static MemorySegment nonEmpty(MemorySegment elements, Arena arena) {
    return elements.byteSize() > 0 ? elements : arena.allocate(ALIGNMENT, ALIGNMENT);
  }

  private ElementType type(TensorFile file) {
    var found = file.type() == ElementType.E4M3 || file.type().bytes() == 2 ? file.type() : ElementType.BF16;
    return dtype.map(name -> TYPES.entrySet().stream().filter(type -> type.getKey().equals(name)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid --dtype " + name + ": " + String.join(" or ",
            TYPES.keySet()))).getValue()).orElse(found);
  }

  /** Whether operands have a scale for 32 neighbours. */
  private boolean blockScaled() {
    return dtype.filter(Format.MXF8.text()::equals).isPresent();
  }

  private AttentionFileLayout layout() {
    return AttentionFileLayout.parse("--layout", layout, AttentionFileLayout.BSHD, AttentionFileLayout.BHSD);
  }

  private AttentionFileLayout layoutOfV() {
    return layoutOfV.map(name -> AttentionFileLayout.parse("--v-layout", name, AttentionFileLayout.BHDS))
        .orElseGet(this::layout);
  }

  private Sizes sizes(List<TensorFile> files, Optional<PageTable> table, Optional<ChosenTokens> tokens) {
    for (int i = 0; i < files.size(); i++) (i < 2 ? layout() : layoutOfV()).requireModes(files.get(i));
    var query = files.get(0);
    var key = files.get(1);
    var value = files.get(2);
    table.ifPresent(t -> t.requireEntries(query.extent(0)));
    tokens.ifPresent(t -> t.requireQueries(query.extent(0), layout().rows(query)));
    if (table.isEmpty() && tokens.isEmpty()) requireEqual(key, 0, query, "batch");
    requireEqual(key, 3, query, "head dimension");
    if (layoutOfV.isEmpty()) for (int mode = 0; mode < 3; mode++) requireEqual(value, mode, key, "extent " + mode);
    else requireSameKeys(value, key);
    try {
      int rows = layout().rows(key);
      int keys = table.map(t -> t.keys(rows)).or(() -> tokens.map(ChosenTokens::each)).orElse(rows);
      return new Sizes(query.extent(0), layout().rows(query), keys, layout().heads(query),
          layout().heads(key), layout().dim(query), latent.columns().orElse(layoutOfV().dim(value)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  /** Checks extents of files of different layouts. */
  private void requireSameKeys(TensorFile value, TensorFile key) {
    var expected = layoutOfV().shape(key.extent(0), layout().rows(key), layout().heads(key), layoutOfV().dim(value));
    if (!value.shape().equals(expected)) {
      throw CommandFailure.badFile(value.path(), "has " + text(value.shape()) + " elements; needed for --v-layout "
          + layoutOfV().text() + " beside " + key + " are " + text(expected));
    }
  }

  private static void requireEqual(TensorFile file, int mode, TensorFile other, String what) {
    if (file.extent(mode) != other.extent(mode)) {
      throw CommandFailure.badFile(file.path(), "has " + what + " " + file.extent(mode) + ", but " + other + " has "
          + other.extent(mode));
    }
  }

  private void options(Attention attention, View placeOfK, View placeOfV, Optional<Packed> packed) {
    var s = attention.problem().sizes();
    try {
      attention.tensors(view("Q", s.queries(), s.heads(), s.headDim()), placeOfK, placeOfV,
          view("O", s.queries(), s.heads(), s.valueDim()));
      if (causal) attention.causal();
      if (!window.isEmpty()) window(attention);
      softcap.ifPresent(attention::softcap);
      scale.ifPresent(attention::scale);
      if (quantization.promoted()) attention.promoted();
      packed.ifPresent(attention::packed);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private void cache(Attention attention, TensorFile keys, Map<String, MemorySegment> buffers, Arena arena) {
    try {
      if (cache.codes().isPresent()) {
        attention.codes(quantization.codes(attention.problem().sizes(), keys, layout(), buffers, arena));
      }
      cache.apply(attention, buffers, arena);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static void requireFactors(Attention attention, Map<String, MemorySegment> buffers) {
    var s = attention.problem().sizes();
    try {
      attention.problem().serving().requireFactors(buffers, s.batch(), s.keys(), s.keyHeads());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private void window(Attention attention) {
    if (window.size() != 2) throw CommandFailure.badInput("invalid --window: two lengths, such as 128,0");
    if (causal) throw CommandFailure.badInput("--causal and --window do not go together: say --window L,0");
    attention.window(window.get(0), window.get(1));
  }

  private Packed packed(Sizes s, Map<String, MemorySegment> buffers, Arena arena) {
    var queries = SequenceLengths.read(varlen.getFirst(), s.queries(), arena);
    var keys = SequenceLengths.read(varlen.getLast(), s.keys(), arena);
    if (varlen.size() > 2 || queries.sequences() != keys.sequences()) {
      throw CommandFailure.badInput("invalid --varlen: one file, or two with as many sequences; here are "
          + queries.sequences() + " and " + keys.sequences());
    }
    buffers.put("cuQ", queries.buffer(arena));
    buffers.put("cuK", keys.buffer(arena));
    return new Packed("cuQ", "cuK", queries.sequences(), queries.longest());
  }
}
