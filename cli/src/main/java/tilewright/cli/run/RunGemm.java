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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.bench.TunedTiles;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.Backend;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.cli.tensor.NpyFile;
import tilewright.cli.tensor.NpyHeader;
import tilewright.cli.tensor.NpyType;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.ops.TensorCoordinates;

/** {@code tilewright run gemm}: multiplies matrices in {@code .npy} files. */
@Command(name = "gemm", description = {
    "Multiply matrices: C = A·Bᵀ, with A of M×K, B of N×K and C of M×N.",
    "With options for its epilogue, C = f(alpha·A·Bᵀ + beta·C + bias).",
    "The files are NumPy's, in C or Fortran order; a first index of three counts a batch."})
@Examples("run gemm --a A.npy --b B.npy --out C.npy")
public final class RunGemm implements Callable<Integer> {
  /** The end of every GEMM's name. */
  private static final String SUFFIX = "_gemm";

  private final Console console;
  private final KernelRegistry registry;

  @Mixin
  private GemmFileOptions files;

  @Option(names = "--dtype", paramLabel = "f16|bf16|e4m3|e5m2",
      description = "The type to multiply in (default: that of the files; f4 and f8 are rounded to bf16). Files of u1"
          + " or V1 hold the type that is named.")
  private Optional<String> dtype;

  @Option(names = "--acc", paramLabel = "f32|f16", defaultValue = "f32",
      description = "The type that tensor cores accumulate in (default: f32); f16 needs operands of f16.")
  private String accumulator;

  @Mixin
  private GemmEpilogueOptions epilogue;

  @Option(names = "--kernel", paramLabel = "sm80|sm89|sm90|sm100|naive",
      description = "Tensor cores, those for 8 bits, Hopper's, Blackwell's, or one thread an element (default: sm80, of"
          + " 8-bit floats sm89); or a GEMM of --classpath.")
  private Optional<String> kernel;

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  @Option(names = "--dump", paramLabel = "DIR",
      description = "Also write the launch into a folder that sim and gpu take.")
  private Optional<Path> dump;

  public RunGemm(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  record Row(String out, int m, int n, int k, int batch, String dtype, String kernel, String backend, double ms,
      List<?> findings) {}

  @Override
  public Integer call() {
    AtomicFile.requireWritable(files.out());
    var output = files.output();
    var wanted = dtype.map(name -> GemmFileOptions.type("--dtype", name, ElementType.F16, ElementType.BF16,
        ElementType.E4M3, ElementType.E5M2));
    var accumulates = GemmFileOptions.type("--acc", accumulator, ElementType.F32, ElementType.F16);
    try (var arena = Arena.ofShared()) {
      var operands = files.read(wanted, arena);
      noteRounding(operands);
      var problem = operands.problem(output, accumulates);
      long elements = (long) problem.m() * problem.n() * problem.batch();
      var buffers = new HashMap<>(Map.of(
          "A", nonEmpty(operands.a().elements(operands.type(), arena), arena),
          "B", nonEmpty(operands.b().elements(operands.type(), arena), arena),
          "C", arena.allocate(Math.max(1, elements * output.bytes()), 256)));
      var prepared = prepare(problem, epilogue.of(problem, arena, buffers));
      var launch = prepared.on(buffers);
      dump.ifPresent(folder -> LaunchFileWriter.write(folder, launch, TensorCoordinates.of(prepared)));
      var result = backend.run(launch, console);
      var c = buffers.get("C").asSlice(0, elements * output.bytes());
      if (result.findings().isEmpty()) write(operands, problem, c);
      return report(problem, result);
    }
  }

  private PreparedLaunch prepare(GemmProblem problem, EpilogueArguments arguments) {
    var gemm = named(name(problem));
    if (!gemm.hasEpilogues() && !epilogue.isPlain()) {
      throw CommandFailure.badInput("--kernel " + name(problem)
          + " stores products as they are: leave it out, or what else is done");
    }
    try {
      return gemm instanceof TiledGemmKernel tiled && gemm.name().equals(TunedTiles.KERNEL)
          ? tuned(problem).map(tile -> tiled.prepare(problem, tile)).orElseGet(() -> gemm.prepare(problem, arguments))
          : gemm.prepare(problem, arguments);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private String name(GemmProblem problem) {
    return kernel.orElse(problem.operand().bits() == Byte.SIZE ? "sm89" : "sm80");
  }

  /** The kernel by its name, of which the end can be left out. */
  private GemmKernel named(String kernel) {
    var all = registry.kernels().stream().filter(GemmKernel.class::isInstance).map(GemmKernel.class::cast).toList();
    return all.stream().filter(k -> k.name().equals(kernel) || k.name().equals(kernel + SUFFIX)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid --kernel " + kernel + ": "
            + String.join(" or ", all.stream().map(k -> k.name().replaceFirst(SUFFIX + "$", "")).toList())));
  }

  /** The tile that {@code tune} has found for this GPU, unless an epilogue asks for rows and columns as they are. */
  private Optional<String> tuned(GemmProblem problem) {
    if (backend != Backend.GPU || !epilogue.isPlain()) return Optional.empty();
    return TunedTiles.ofThisGpu(console).flatMap(table -> table.tile(problem));
  }

  private void noteRounding(GemmOperands operands) {
    Stream.of(operands.a(), operands.b())
        .filter(matrix -> matrix.type().filter(type -> type.bytes() > operands.type().bytes()).isPresent())
        .forEach(matrix -> console.note(matrix + " is rounded to " + operands.type().text()));
  }

  /** No machine has a buffer of no bytes; an extent of 0 asks for one. */
  private static MemorySegment nonEmpty(MemorySegment segment, Arena arena) {
    return segment.byteSize() > 0 ? segment : arena.allocate(16, 16);
  }

  private void write(GemmOperands operands, GemmProblem problem, MemorySegment c) {
    var type = switch (problem.output()) {
      case F16 -> NpyType.FLOAT16;
      case BF16 -> NpyType.OPAQUE16;
      default -> NpyType.FLOAT32;
    };
    var shape = operands.batched() ? List.of((long) problem.batch(), (long) problem.m(), (long) problem.n())
        : List.of((long) problem.m(), (long) problem.n());
    new NpyFile(new NpyHeader(type, false, shape), c).write(files.out());
  }

  private int report(GemmProblem problem, Backend.Result result) {
    var row = new Row(files.out().toString(), problem.m(), problem.n(), problem.k(), problem.batch(),
        problem.operand().text(), name(problem), backend.toString(), result.ms(), result.findings());
    console.result(row, "%s: C = A·Bᵀ, %d×%d×%d%s in %s on %s (%s), %.1f ms".formatted(
        result.findings().isEmpty() ? files.out() : "not written", row.m, row.n, row.k,
        row.batch > 1 ? ", batch of " + row.batch : "", row.dtype, row.backend, row.kernel, row.ms));
    result.findings().forEach(finding -> console.note(finding.toString()));
    return result.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
