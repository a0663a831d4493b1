package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.Backend;
import tilewright.cli.tensor.SequenceLengths;
import tilewright.cli.tensor.TensorFile;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;

/** {@code tilewright run attention}: attention on tensors in files. */
@Command(name = "attention", description = {
    "Attention: O = softmax(scale · Q·Kᵀ) · V, with Q of B×Sq×H×D, K of B×Sk×Hk×D and V of B×Sk×Hk×Dv.",
    "A file is FILE.npy or FILE.safetensors:TENSOR, in C order. Heads of Q share heads of K and V where H > Hk."})
@Examples("run attention --q Q.npy --k K.npy --v V.npy --out O.npy --causal")
public final class RunAttention implements Callable<Integer> {
  private final Console console;

  @Option(names = "--q", required = true, paramLabel = "FILE", description = "Q: f16, bf16 (V2 in .npy), f32 or f64.")
  private String q;

  @Option(names = "--k", required = true, paramLabel = "FILE", description = "K.")
  private String k;

  @Option(names = "--v", required = true, paramLabel = "FILE", description = "V.")
  private String v;

  @Option(names = "--out", required = true, paramLabel = "FILE",
      description = "Where O goes, laid out like Q; written whole or not at all.")
  private Path out;

  @Option(names = "--lse", paramLabel = "FILE",
      description = "Where the rows' log-sum-exp goes: B×H×Sq of f32.")
  private Optional<Path> lse;

  @Option(names = "--layout", paramLabel = "bshd|bhsd", defaultValue = "bshd",
      description = "The order of the files' modes (default: bshd).")
  private String layout;

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

  @Option(names = "--kernel", paramLabel = "NAME",
      description = "sm80_attention, sm90_attention or sm100_attention (default: on a GPU its architecture's "
          + "where that can do it, else sm80_attention).")
  private Optional<String> kernel;

  @Option(names = "--dtype", paramLabel = "f16|bf16",
      description = "The type to compute in (default: that of Q's file; f4 and f8 are rounded to bf16).")
  private Optional<String> dtype;

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  public RunAttention(Console console) {
    this.console = console;
  }

  record Row(String out, Sizes sizes, String dtype, String kernel, String backend, double ms, List<?> findings) {}

  @Override
  public Integer call() {
    Stream.concat(Stream.of(out), lse.stream()).forEach(AtomicFile::requireWritable);
    try (var arena = Arena.ofShared()) {
      var files = Stream.of(q, k, v).map(where -> TensorFile.read(where, arena)).toList();
      var type = type(files.getFirst());
      var attention = Attention.forward(type, sizes(files));
      var buffers = new HashMap<String, MemorySegment>();
      var problem = options(attention, buffers, arena).problem();
      var chosen = choose(attention);
      var prepared = chosen.prepare(problem);
      for (int i = 0; i < 3; i++) buffers.put("QKV".substring(i, i + 1), elements(files.get(i), type, arena));
      var s = problem.sizes();
      long rows = (long) s.batch() * s.queries() * s.heads();
      buffers.put("O", arena.allocate(Math.max(1, rows * s.valueDim() * type.bytes()), 256));
      buffers.put("LSE", arena.allocate(Math.max(1, rows * Float.BYTES), 256));
      chosen.zeros(problem).forEach((name, bytes) -> buffers.put(name, arena.allocate(bytes, 256)));
      var result = backend.run(prepared.on(buffers), console);
      if (result.findings().isEmpty()) write(problem, buffers);
      return report(problem, chosen.name(), result);
    }
  }

  private MemorySegment elements(TensorFile file, ElementType type, Arena arena) {
    if (file.type() != type) console.note(file + " is rounded to " + type.text());
    var elements = file.elements(type, arena);
    return elements.byteSize() > 0 ? elements : arena.allocate(16, 16);
  }

  private ElementType type(TensorFile file) {
    var name = dtype.orElse(file.type().bytes() == 2 ? file.type().text() : "bf16");
    return Stream.of(ElementType.F16, ElementType.BF16).filter(t -> t.text().equals(name)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid --dtype " + name + ": f16 or bf16"));
  }

  private boolean headsFirst() {
    return switch (layout) {
      case "bshd" -> false;
      case "bhsd" -> true;
      default -> throw CommandFailure.badInput("invalid --layout " + layout + ": bshd or bhsd");
    };
  }

  private Sizes sizes(List<TensorFile> files) {
    int sequence = headsFirst() ? 2 : 1;
    int head = headsFirst() ? 1 : 2;
    for (var file : files) {
      if (file.shape().size() != 4) throw CommandFailure.badFile(file.path(), "has rank " + file.shape().size()
          + "; needed are four modes, " + layout);
    }
    var query = files.get(0);
    var key = files.get(1);
    var value = files.get(2);
    requireEqual(key, 0, query, "batch");
    requireEqual(key, 3, query, "head dimension");
    for (int mode = 0; mode < 3; mode++) requireEqual(value, mode, key, "extent " + mode);
    try {
      return new Sizes(query.extent(0), query.extent(sequence), key.extent(sequence), query.extent(head),
          key.extent(head), query.extent(3), value.extent(3));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static void requireEqual(TensorFile file, int mode, TensorFile other, String what) {
    if (file.extent(mode) != other.extent(mode)) {
      throw CommandFailure.badFile(file.path(), "has " + what + " " + file.extent(mode) + ", but " + other + " has "
          + other.extent(mode));
    }
  }

  private Attention options(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    var s = attention.problem().sizes();
    try {
      if (headsFirst()) {
        attention.tensors(View.bhsd("Q", s.queries(), s.heads(), s.headDim()),
            View.bhsd("K", s.keys(), s.keyHeads(), s.headDim()), View.bhsd("V", s.keys(), s.keyHeads(), s.valueDim()),
            View.bhsd("O", s.queries(), s.heads(), s.valueDim()));
      }
      if (causal) attention.causal();
      if (!window.isEmpty()) window(attention);
      softcap.ifPresent(attention::softcap);
      scale.ifPresent(attention::scale);
      if (!varlen.isEmpty()) pack(attention, buffers, arena);
      return attention;
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private void window(Attention attention) {
    if (window.size() != 2) throw CommandFailure.badInput("invalid --window: two lengths, such as 128,0");
    if (causal) throw CommandFailure.badInput("--causal and --window do not go together: say --window L,0");
    attention.window(window.get(0), window.get(1));
  }

  private void pack(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    var s = attention.problem().sizes();
    var queries = SequenceLengths.read(varlen.getFirst(), s.queries(), arena);
    var keys = SequenceLengths.read(varlen.getLast(), s.keys(), arena);
    if (varlen.size() > 2 || queries.sequences() != keys.sequences()) {
      throw CommandFailure.badInput("invalid --varlen: one file, or two with as many sequences; here are "
          + queries.sequences() + " and " + keys.sequences());
    }
    buffers.put("cuQ", queries.buffer(arena));
    buffers.put("cuK", keys.buffer(arena));
    attention.packed(new Packed("cuQ", "cuK", queries.sequences(), queries.longest()));
  }

  private AttentionKernel choose(Attention attention) {
    try {
      return attention.choose(kernel.map(RunAttention::named)
          .orElseGet(() -> AttentionKernels.builtIn().of(capability())));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static List<AttentionKernel> named(String name) {
    var all = AttentionKernels.builtIn().all();
    return List.of(all.stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no kernel of attention is called " + name + "; there are "
            + String.join(", ", all.stream().map(AttentionKernel::name).toList()))));
  }

  /** The simulator runs everything; SM80's kernel does most and is simulated in the least time. */
  private int capability() {
    return backend == Backend.GPU && Gpu.probe() instanceof GpuProbe.Available(_, var devices)
        ? devices.getFirst().capability() : 80;
  }

  private void write(AttentionProblem problem, HashMap<String, MemorySegment> buffers) {
    var s = problem.sizes();
    var shape = headsFirst() ? List.of((long) s.batch(), (long) s.heads(), (long) s.queries(), (long) s.valueDim())
        : List.of((long) s.batch(), (long) s.queries(), (long) s.heads(), (long) s.valueDim());
    long rows = (long) s.batch() * s.queries() * s.heads();
    TensorFile.write(out, "O", problem.type(), shape,
        buffers.get("O").asSlice(0, rows * s.valueDim() * problem.type().bytes()));
    lse.ifPresent(path -> TensorFile.write(path, "LSE", ElementType.F32,
        List.of((long) s.batch(), (long) s.heads(), (long) s.queries()),
        buffers.get("LSE").asSlice(0, rows * Float.BYTES)));
  }

  private int report(AttentionProblem problem, String chosen, Backend.Result result) {
    var s = problem.sizes();
    var row = new Row(out.toString(), s, problem.type().text(), chosen, backend.toString(), result.ms(),
        result.findings());
    console.result(row, "%s: attention of %d×%d×%d×%d queries and %d×%d keys in %s by %s on %s, %.1f ms".formatted(
        result.findings().isEmpty() ? out : "not written", s.batch(), s.queries(), s.heads(), s.headDim(), s.keys(),
        s.keyHeads(), row.dtype, chosen, row.backend, row.ms));
    result.findings().forEach(finding -> console.note(finding.toString()));
    return result.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
