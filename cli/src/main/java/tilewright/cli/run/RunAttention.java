package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.Backend;
import tilewright.cli.run.AttentionFileOptions.Inputs;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;

/** {@code tilewright run attention}: attention or its gradients on tensors in files. */
@Command(name = "attention", description = {
    "Attention: O = softmax(scale · Q·Kᵀ) · V, with Q of B×Sq×H×D, K of B×Sk×Hk×D and V of B×Sk×Hk×Dv.",
    "A file is FILE.npy or FILE.safetensors:TENSOR, in C order. Heads of Q share heads of K and V where H > Hk.",
    "With --backward its gradients by Q, K and V, from that by O."})
@Examples({"run attention --q Q.npy --k K.npy --v V.npy --out O.npy --causal",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --dtype e4m3 --hadamard 7",
    "run attention --q Q.npy --k K.npy --v Vt.npy --out O.npy --dtype e4m3 --v-layout bhds",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --dtype mxf8",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --mod alibi:slopes.npy --mask document:ids.npy",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --mask document:ids.npy --causal --skip-blocks",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --kernel sm90_attention --splits 512-keys --used used.npy",
    "run attention --q Q.npy --k pool-of-K.npy --v pool-of-V.npy --out O.npy --pages table.npy --used used.npy",
    "run attention --q Q.npy --k codes-of-K.npy --v codes-of-V.npy --out O.npy --kv-dtype e4m3 --descale-k k.npy "
        + "--descale-v v.npy",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --causal --sinks sinks.npy",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --max max.npy --sum sum.npy",
    "run attention --q Q.npy --k latent-pages.npy --latent 512 --out O.npy --indices tokens.npy",
    "run attention --q Q.npy --k K.npy --v V.npy --out O.npy --causal --gpus 4",
    "run attention --q Q.npy --k K.npy --v V.npy --backward --do dO.npy --dq dQ.npy --dk dK.npy --dv dV.npy",
    "run attention --q Q.npy --k K.npy --v V.npy --backward --do dO.npy --dq dQ.npy --dk dK.npy --dv dV.npy "
        + "--mod bias:bias.npy --gradient-of bias=dbias.npy"})
public final class RunAttention implements Callable<Integer> {
  private final Console console;

  @Mixin
  private AttentionFileOptions files;

  @Option(names = "--out", paramLabel = "FILE",
      description = "Where O goes, laid out like Q; written whole or not at all.")
  private Optional<Path> out;

  @Option(names = "--lse", paramLabel = "FILE",
      description = "The rows' log-sum-exp, B×H×Sq of f32: where it goes, or with --backward comes from.")
  private Optional<Path> lse;

  @Mixin
  private ApartOptions apart;

  @Mixin
  private GradientOptions gradients;

  @Option(names = "--kernel", paramLabel = "NAME",
      description = "sm80_attention, sm80_decode_attention, sm80_mla_decode, sm89_attention, sm90_attention, "
          + "sm90_mla_decode, sm100_attention or sm120_attention, with --backward sm80_attention_backward, "
          + "sm90_attention_backward or sm100_attention_backward (default: on a GPU its architecture's where that can "
          + "do it, else SM80's).")
  private Optional<String> kernel;

  @Option(names = "--gpus", paramLabel = "N",
      description = "Cut the sequence for N devices, keys and values going round: GPUs, which needs NCCL, or simulated "
          + "ones. The kernel is the device's own.")
  private Optional<Integer> gpus;

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  public RunAttention(Console console) {
    this.console = console;
  }

  record Row(String out, Sizes sizes, String dtype, String outDtype, String kernel, String backend, double ms,
      List<?> findings) {}

  @Override
  public Integer call() {
    gradients.check(out, lse);
    apart.check(Map.of("--lse", lse.isPresent(), "--gpus", gpus.isPresent(), "--backward", gradients.backward()));
    files.checkLatent(gradients.backward(), gpus.isPresent());
    if (gpus.isPresent() && gradients.backward()) {
      throw CommandFailure.badInput("--gpus computes no gradients: leave out --backward");
    }
    var forward = Stream.of(out.stream(), lse.stream(), apart.files()).flatMap(some -> some);
    (gradients.backward() ? gradients.outputs().values().stream() : forward).forEach(AtomicFile::requireWritable);
    try (var arena = Arena.ofShared()) {
      var inputs = files.read(console, arena);
      return gradients.backward() ? backward(inputs, arena) : forward(inputs, arena);
    }
  }

  private int forward(Inputs inputs, Arena arena) {
    if (gpus.isPresent()) return spread(inputs, arena);
    var s = inputs.sizes();
    apart.apply(inputs, logarithms(s), arena);
    var chosen = choose(inputs, kernel);
    var result = backend.run(prepare(chosen, inputs, arena).toList(), console);
    if (result.findings().isEmpty()) {
      AttentionFileOptions.write(out.orElseThrow(), "O", inputs.output(),
          files.shape(s, s.queries(), s.heads(), s.valueDim()), inputs.buffers());
      lse.ifPresent(path -> AttentionFileOptions.write(path, "LSE", ElementType.F32, logarithms(s), inputs.buffers()));
      apart.write(inputs, logarithms(s));
    }
    return report("attention", out.orElseThrow().toString(), inputs, chosen.name(), result);
  }

  private int spread(Inputs inputs, Arena arena) {
    if (kernel.isPresent() || lse.isPresent()) {
      throw CommandFailure.badInput("--gpus goes without --kernel and --lse: leave them out");
    }
    var s = inputs.sizes();
    var attention = new SpreadAttention(inputs, gpus.get());
    var shape = files.shape(s, s.queries(), s.heads(), s.valueDim());
    inputs.allocate(arena, "O", inputs.output(), shape);
    double ms = attention.run(backend);
    AttentionFileOptions.write(out.orElseThrow(), "O", inputs.output(), shape, inputs.buffers());
    return report("attention", out.orElseThrow().toString(), inputs, gpus.get() + " devices",
        new Backend.Result(List.of(), Optional.empty(), ms, Optional.empty()));
  }

  /** The launch, with room for O and LSE, behind that of its lists of blocks where it skips others. */
  private Stream<Launch> prepare(AttentionKernel chosen, Inputs inputs, Arena arena) {
    var s = inputs.sizes();
    var problem = inputs.attention().problem();
    var launches = chosen(() -> chosen.launches(problem));
    inputs.allocate(arena, "O", inputs.output(), files.shape(s, s.queries(), s.heads(), s.valueDim()));
    inputs.allocate(arena, "LSE", ElementType.F32, logarithms(s));
    chosen.zeros(problem).forEach((name, bytes) -> inputs.allocate(arena, name, ElementType.I8, List.of(bytes)));
    if (!problem.blockMask()) return launches.on(inputs.buffers()).stream();
    var lists = chosen(() -> chosen.blockMask(problem));
    for (var name : BlockMask.BUFFERS) inputs.allocate(arena, name, ElementType.I32, List.of(lists.elements()));
    return Stream.concat(Stream.of(lists.prepare().on(inputs.buffers())), launches.on(inputs.buffers()).stream());
  }

  private int backward(Inputs inputs, Arena arena) {
    var s = inputs.sizes();
    var attention = chosen(() -> inputs.attention().backward()).tensors(
        files.view("dO", s.queries(), s.heads(), s.valueDim()), files.view("dQ", s.queries(), s.heads(), s.headDim()),
        files.view("dK", s.keys(), s.keyHeads(), s.headDim()), files.view("dV", s.keys(), s.keyHeads(), s.valueDim()));
    chosen(() -> gradients.deterministic() ? attention.deterministic() : attention);
    gradients.captured().keySet().forEach(name -> chosen(() -> attention.gradientOf(captured(inputs, name))));
    var chosen = chosen(() -> attention.choose(candidates(kernel, capability(inputs),
        AttentionBackwardKernels.builtIn().all(), AttentionBackwardKernel::name,
        AttentionBackwardKernels.builtIn()::of)));
    var prepared = chosen(() -> chosen.prepare(attention.problem()));
    var outputs = files.shape(s, s.queries(), s.heads(), s.valueDim());
    files.read("dO", gradients.dO(), outputs, inputs, console, arena);
    var before = gradients.o().map(o -> {
      files.read("O", o, outputs, inputs, console, arena);
      inputs.buffers().put("LSE", logarithms(lse.orElseThrow(), s, arena));
      return Stream.<Launch>empty();
    }).orElseGet(() -> prepare(choose(inputs, Optional.empty()), inputs, arena));
    var results = new HashMap<>(Map.of(
        "dQ", new Result(inputs.type(), files.shape(s, s.queries(), s.heads(), s.headDim())),
        "dK", new Result(inputs.type(), files.shape(s, s.keys(), s.keyHeads(), s.headDim())),
        "dV", new Result(inputs.type(), files.shape(s, s.keys(), s.keyHeads(), s.valueDim()))));
    var captures = attention.problem().forward().modification().captures();
    captures.differentiated().forEach(name ->
        results.put("d" + name, new Result(ElementType.F32, captures.gradient(name).extents())));
    results.forEach((name, tensor) -> inputs.allocate(arena, name, tensor.type, tensor.shape));
    var lists = lists(chosen, attention.problem(), inputs, arena);
    var launches = Stream.of(before, lists, prepared.on(inputs.buffers()).stream()).flatMap(part -> part).toList();
    var result = backend.run(launches, console);
    if (result.findings().isEmpty()) {
      gradients.outputs().forEach((name, path) -> AttentionFileOptions.write(path, name, results.get(name).type,
          results.get(name).shape, inputs.buffers()));
    }
    var written = gradients.outputs().values().stream().map(Path::toString).collect(Collectors.joining(", "));
    return report(gradients.deterministic() ? "deterministic gradients" : "gradients", written, inputs, chosen.name(),
        result);
  }

  /** A tensor that is written. */
  private record Result(ElementType type, List<Long> shape) {}

  /** The launches that list tiles of queries, where the gradients skip others. */
  private static Stream<Launch> lists(AttentionBackwardKernel chosen, AttentionBackwardProblem problem, Inputs inputs,
      Arena arena) {
    if (!problem.forward().blockMask()) return Stream.empty();
    var lists = chosen(() -> chosen.tileMask(problem));
    lists.elements().forEach((name, count) -> inputs.allocate(arena, name, ElementType.I32, List.of(count)));
    return lists.launches().stream().map(launch -> launch.on(inputs.buffers()));
  }

  private static CapturedTensor captured(Inputs inputs, String name) {
    var tensors = inputs.attention().problem().modification().captures().tensors();
    return Optional.ofNullable(tensors.get(name)).map(Captures.Given::tensor).orElseThrow(() ->
        new IllegalArgumentException("no gradient of " + name + ", which no --mod reads from a file"));
  }

  private static List<Long> logarithms(Sizes s) {
    return List.of((long) s.batch(), (long) s.heads(), (long) s.queries());
  }

  private static MemorySegment logarithms(Path path, Sizes s, Arena arena) {
    var file = TensorFile.read(path.toString(), arena);
    if (file.type() != ElementType.F32 || !file.shape().equals(logarithms(s))) {
      throw CommandFailure.badFile(path, "has " + AttentionFileOptions.text(file.shape()) + " elements of "
          + file.type().text() + "; needed for LSE are " + AttentionFileOptions.text(logarithms(s)) + " of f32");
    }
    return AttentionFileOptions.nonEmpty(file.data(), arena);
  }

  private AttentionKernel choose(Inputs inputs, Optional<String> name) {
    var builtIn = AttentionKernels.builtIn();
    var all = backend.capability().isPresent() ? builtIn.allOn(backend.capability().getAsInt()) : builtIn.all();
    return chosen(() -> inputs.attention().choose(candidates(name, capability(inputs), all, AttentionKernel::name,
        builtIn::of)));
  }

  /** Returns the choice; a failure is the command line's fault. */
  private static <T> T chosen(Supplier<T> choice) {
    try {
      return choice.get();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static <T> List<T> candidates(Optional<String> wanted, int capability, List<T> all,
      Function<T, String> name, Function<Integer, List<T>> of) {
    if (wanted.isEmpty()) return of.apply(capability);
    return List.of(all.stream().filter(k -> name.apply(k).equals(wanted.get())).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no kernel of attention is called " + wanted.get() + "; there are "
            + String.join(", ", all.stream().map(name).toList()))));
  }

  /** The simulator runs everything; SM80's kernel does most in 16 bits, and is simulated in the least time. */
  private int capability(Inputs inputs) {
    if (backend.capability().isPresent()) return backend.capability().getAsInt();
    if (inputs.attention().problem().blockScaled()) return Target.SM100A.capability();
    boolean cached = !inputs.attention().problem().serving().equals(Serving.NONE);
    return cached || inputs.type() == ElementType.E4M3 ? Target.SM90A.capability() : Target.SM80.capability();
  }

  private int report(String what, String written, Inputs inputs, String chosen, Backend.Result result) {
    var s = inputs.sizes();
    var row = new Row(written, s, inputs.attention().problem().format(), inputs.output().text(), chosen,
        backend.toString(), result.ms(), result.findings());
    console.result(row, "%s: %s of %d×%d×%d×%d queries and %d×%d keys in %s by %s on %s, %.1f ms".formatted(
        result.findings().isEmpty() ? written : "not written", what, s.batch(), s.queries(), s.heads(), s.headDim(),
        s.keys(), s.keyHeads(), row.dtype, chosen, row.backend, row.ms));
    result.findings().forEach(finding -> console.note(finding.toString()));
    return result.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
