package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import tilewright.async.atom.MatrixDescriptor;
import tilewright.docs.record.BugClasses;
import tilewright.docs.source.Command;
import tilewright.docs.source.Excerpt;
import tilewright.docs.source.LongLines;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.NaiveGemm;
import tilewright.kernels.gemm.Gemm;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/** Listings that pages include from sources and from the kernels' PTX. */
public final class Listings {
  private static final Path KERNELS = Path.of("gpu-kernels/src/main/java/tilewright");
  private static final Path ASYNC = KERNELS.resolve("async");
  private static final Path HOPPER = Path.of("sm90/src/main/java/tilewright/sm90");
  private static final Path MORPHISM_LAWS =
      Path.of("layout-algebra/src/test/java/tilewright/layout/morphism/MorphismLawProperties.java");
  private static final Path EPILOGUES =
      Path.of("verification/src/test/java/tilewright/verification/Sm90EpilogueTest.java");

  private static final Path MODS =
      Path.of("verification/src/main/java/tilewright/verification/cases/AttentionMods.java");

  private static final Path DECODER = Path.of("examples/llama-decoder/src/main/java/llama/Decoder.java");

  private static final String LAUNCHES = "docs/src/launches/";
  /** The exit code of a command whose check failed, which these shall. */
  private static final int FOUND = 1;

  private Listings() {}

  static void write(Path root, Path generated) throws IOException {
    gemms(root, generated);
    hopper(root, generated);
    attention(root, generated);
    ptx(generated);
    simulator(root, generated);

    save(generated, "morphism-steps.adoc", MorphismExample.table());
    save(generated, "morphism-refusal.txt", MorphismExample.refusal("(2,2):(2,3)"));
    save(generated, "morphism-theorem.java", Excerpt.method(root.resolve(MORPHISM_LAWS),
        "void theRealisationOfACompositeIsTheCompositeOfRealisations("));
    save(generated, "llama-attention.java", Excerpt.method(root.resolve(DECODER), "DeviceTensor attention("));
    save(generated, "llama-feed-forward.java", Excerpt.method(root.resolve(DECODER), "DeviceTensor feedForward("));
    save(generated, "llama-plus.java", Excerpt.method(root.resolve(DECODER), "DeviceTensor plus("));
    var peer = root.resolve(KERNELS).resolve("kernels/peer");
    save(generated, "one-shot-all-reduce.java", trace(peer.resolve("OneShotAllReduce.java")));
    save(generated, "peer-flag.java", Excerpt.method(root.resolve(KERNELS).resolve("kernel/atom/PeerFlag.java"),
        "void take("));
    save(generated, "layout.txt", Command.transcript(List.of("layout", "draw", "(4,(2,2)):(1,(4,8))")));
    save(generated, "banks-plain.txt", banks("(64,64):(64,1)"));
    save(generated, "banks-swizzled.txt", banks(SwizzledTile.alongColumns(64, 64, 1).swizzle() + "o0o(64,64):(64,1)"));
  }

  private static void gemms(Path root, Path generated) throws IOException {
    var kernels = root.resolve(KERNELS);
    save(generated, "sm80-trace.java", trace(kernels.resolve("kernels/gemm/Sm80Gemm.java")));
    save(generated, "vector-add-trace.java", trace(kernels.resolve("kernels/VectorAdd.java")));
    save(generated, "mainloop-run.java",
        Excerpt.method(kernels.resolve("kernel/collective/MultistageMainloop.java"), "Fragment run(Scope k"));
    save(generated, "naive-trace.java", trace(kernels.resolve("kernels/NaiveGemm.java")));
    save(generated, "wgmma-refusal.txt", LongLines.wrapped(descriptorRefusal()));
    save(generated, "swizzled-tile.java",
        Excerpt.method(kernels.resolve("kernel/tiled/SwizzledTile.java"), "ComposedLayout alongColumns("));
  }

  private static void hopper(Path root, Path generated) throws IOException {
    var hopper = root.resolve(HOPPER);
    save(generated, "sm90-trace.java", trace(hopper.resolve("Sm90Gemm.java")));
    save(generated, "sm90-weights-ahead.java", Excerpt.method(hopper.resolve("Loading.java"),
        "void loadWeightsAhead("));
    save(generated, "sm90-mainloop.java", Excerpt.method(hopper.resolve("collective/WgmmaMainloop.java"),
        "Fragment accumulate(Place place"));
    save(generated, "sm90-fetch.java", Excerpt.method(hopper.resolve("collective/OperandStages.java"),
        "void loadByThreads(Pipeline.Cursor stage"));
    save(generated, "sm90-pace.java", Excerpt.method(root.resolve(ASYNC).resolve("schedule/WaveSynchronisedTiles.java"),
        "void forEachLoad("));
    save(generated, "sm90-split.java", Excerpt.method(root.resolve(ASYNC).resolve("schedule/ClusterReduction.java"),
        "void complete(WorkTile tile"));
    save(generated, "sm90-promotion.java", Excerpt.method(hopper.resolve("collective/PromotedMainloop.java"),
        "Fragment accumulate(Pipeline.Cursor stage"));
    save(generated, "swizzled-rows.java", Excerpt.method(root.resolve(ASYNC).resolve("atom/SwizzledRows.java"),
        "ComposedLayout alongColumns("));
    save(generated, "epilogue-example.java", Excerpt.method(root.resolve(EPILOGUES), "Epilogue example()"));
    for (var step : List.of("TiledGemm", "OneStageGemm", "PipelinedGemm", "WarpRolesGemm")) {
      save(generated, "ladder-" + step + ".java", trace(hopper.resolve("ladder/" + step + ".java")));
    }
  }

  private static void ptx(Path generated) throws IOException {
    var naive = CompiledKernel.compile(new NaiveGemm(ElementType.BF16), Target.SM80).ptx();
    save(generated, "naive-gemm.ptx", naive);
    save(generated, "naive-gemm-loop.ptx", Excerpt.mainLoop(naive));
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.F32, 512, 512, 512, 1, "TN");
    save(generated, "sm80-gemm-config.txt", Gemm.configure(problem) + "\n");
    var loop = Excerpt.mainLoop(Gemm.sm80(problem).kernel().ptx());
    // Neighbouring mma instructions differ in registers only.
    save(generated, "sm80-gemm-loop.ptx", shortened(loop));
    save(generated, "sm80-gemm-loop.adoc", census(loop));
  }

  private static void simulator(Path root, Path generated) throws IOException {
    for (var launch : List.of("missing-barrier", "lost-update", "deadlock", "asynchrony/proxy-fence",
        "asynchrony/source-reused", "asynchrony/initialisation", "asynchrony/bytes-expected", "asynchrony/phase-missed",
        "asynchrony/weak-arrival", "asynchrony/sums-early", "asynchrony/stage-reused",
        "asynchrony/earlier-kernel", "missing-system-scope")) {
      var transcript = Command.transcript(root, List.of("sim", "--sanitize", "--threads", "1"),
          LAUNCHES + launch + "/launch.json", FOUND);
      save(generated, launch.replace('/', '-') + ".txt", LongLines.wrapped(transcript));
    }
    save(generated, "bug-classes.adoc", BugClasses.table(root));
    save(generated, "profile.txt", Command.transcript(root, List.of("sim", "--profile"),
        LAUNCHES + "transpose/launch.json", 0));
  }

  private static void attention(Path root, Path generated) throws IOException {
    var kernels = root.resolve(KERNELS);
    var collective = kernels.resolve("kernel/collective/attention");
    save(generated, "sm80-attention-trace.java", trace(kernels.resolve("kernels/attention/Sm80Attention.java")));
    save(generated, "decode-mainloop.java",
        Excerpt.method(kernels.resolve("kernels/attention/decoding/DecodeMainloop.java"), "run(SharedTensor"));
    save(generated, "softmax-next.java", Excerpt.method(collective.resolve("OnlineSoftmax.java"), "Step next("));
    save(generated, "captured-constant.java",
        Excerpt.method(kernels.resolve("kernel/GlobalTensor.java"), "F32 constant(I32"));
    save(generated, "head-packing.java",
        Excerpt.method(collective.resolve("HeadPacking.java"), "HeadPacking whereWorth("));
    save(generated, "block-info.java", Excerpt.method(collective.resolve("BlockInfo.java"), "HeadPacking packing) {"));
    save(generated, "accumulator-operand.java",
        Excerpt.method(kernels.resolve("kernel/tiled/AccumulatorOperand.java"), "Fragment slice("));
    var hopper = root.resolve(HOPPER);
    save(generated, "sm90-attention-trace.java", trace(hopper.resolve("attention/Sm90Attention.java")));
    save(generated, "attention-next-block.java",
        Excerpt.method(hopper.resolve("attention/AttentionMainloop.java"), "void nextBlock("));
    save(generated, "attention-between-tiles.java",
        Excerpt.method(hopper.resolve("attention/AttentionMainloop.java"), "void betweenTiles("));
    save(generated, "mla-second-block.java",
        Excerpt.method(hopper.resolve("attention/MlaMainloop.java"), "void secondBlock("));
    save(generated, "boxed-queries.java",
        Excerpt.method(kernels.resolve("async/attention/BoxedTensors.java"), "TensorSpec queries("));
    save(generated, "ragged-rows.java",
        Excerpt.method(kernels.resolve("async/collective/RaggedRows.java"), "I32[] coordinate("));
    save(generated, "packed-tiles.java", Excerpt.method(collective.resolve("PackedTiles.java"), "I32 sequence(Scope"));
    save(generated, "register-operand.java",
        Excerpt.method(hopper.resolve("atom/RegisterOperand.java"), "RegisterOperand permuted(Layout"));
    save(generated, "strided-operand.java",
        Excerpt.method(hopper.resolve("atom/RegisterOperand.java"), "Layout strided("));
    save(generated, "value-transpose.java",
        Excerpt.method(hopper.resolve("attention/ValueTranspose.java"), "void nextBlock("));
    save(generated, "conformance.adoc", ConformanceFigures.table());
    save(generated, "conformance-refusal.txt", LongLines.wrapped(ConformanceFigures.refusal()));
    var backward = kernels.resolve("kernels/attention/backward");
    save(generated, "sm80-attention-backward-trace.java", trace(backward.resolve("Sm80AttentionBackward.java")));
    save(generated, "attention-backward-order.java",
        Excerpt.method(backward.resolve("DeterministicOrder.java"), "I32 before(KeyBlock block"));
    save(generated, "sm90-attention-backward-step.java",
        Excerpt.method(hopper.resolve("attention/backward/BackwardMainloop.java"), "void step(KeyBlock.Tile tile"));
    save(generated, "attention-mods.java", Excerpt.method(root.resolve(MODS), "List<AttentionCases.Setup> setups()"));
  }

  /** Why no descriptor describes plain rows. */
  private static String descriptorRefusal() {
    try {
      return "described by " + MatrixDescriptor.of(ElementType.BF16, Layout.parse("(64,64):(64,1)"), WgmmaAtom.M);
    } catch (TraceException e) {
      return e.getMessage();
    }
  }

  private static String trace(Path kernel) throws IOException {
    return Excerpt.method(kernel, "void trace(Scope k)");
  }

  /** Bank conflicts of a tile of 16-bit elements that is read 16 bytes at a time. */
  private static String banks(String layout) {
    return Command.transcript(List.of("layout", "banks", "--bytes", "2", "--access", "16", layout));
  }

  /** Cuts every run of more than two lines of one instruction to its first two. */
  public static String shortened(String ptx) {
    var result = new StringBuilder();
    var lines = ptx.lines().toList();
    for (int begin = 0; begin < lines.size();) {
      int end = begin + 1;
      while (end < lines.size() && opcode(lines.get(end)).equals(opcode(lines.get(begin)))) end++;
      int shown = Math.min(end - begin, 2);
      lines.subList(begin, begin + shown).forEach(line -> result.append(line).append('\n'));
      if (end - begin > shown) result.append("  // … %d more%n".formatted(end - begin - shown));
      begin = end;
    }
    return result.toString();
  }

  /** A table of how often each kind of instruction occurs. */
  private static String census(String loop) {
    var counts = new LinkedHashMap<String, Integer>();
    loop.lines().map(Listings::opcode).filter(opcode -> !opcode.startsWith("$"))
        .forEach(opcode -> counts.merge(opcode, 1, Integer::sum));
    var table = new StringBuilder("[cols=\"2,>1\"]\n|===\n|Instruction |Count\n\n");
    counts.forEach((opcode, count) -> table.append("|`").append(opcode).append("` |").append(count).append('\n'));
    return table.append("|===\n").toString();
  }

  /** The instruction without guard, modifiers and operands; for cp.async its second word too. */
  private static String opcode(String line) {
    var words = line.strip().replaceFirst("^@!?%p\\d+ ", "").replaceAll("[ ;].*", "").split("\\.");
    if (!words[0].equals("cp")) return words[0];
    return words[2].endsWith("group") ? "cp.async." + words[2] : "cp.async";
  }

  private static void save(Path folder, String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }
}
