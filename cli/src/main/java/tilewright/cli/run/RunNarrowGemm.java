package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.Backend;
import tilewright.cli.tensor.NpyFile;
import tilewright.cli.tensor.NpyHeader;
import tilewright.cli.tensor.NpyType;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.UmmaTypes;
import tilewright.sm120.Sm120NarrowGemm;

/** {@code tilewright run narrow-gemm}: quantizes matrices in {@code .npy} files and multiplies them. */
@Command(name = "narrow-gemm", description = {
    "Quantize matrices to floats of four to eight bits with scales in blocks, and multiply them on Blackwell.",
    "C = A·Bᵀ, with A of M×K, B of N×K and C of M×N, each perhaps a batch, or",
    "C = f(alpha·A·Bᵀ + beta·C + bias)."})
public final class RunNarrowGemm implements Callable<Integer> {
  private static final int ROW_BYTES = 16;
  private static final int ALIGNMENT = 256;

  private final Console console;

  @Mixin
  private GemmFileOptions files;

  @Option(names = "--format", paramLabel = "NAME", defaultValue = "mxf8",
      description = "Of mxf8, mxf8_e5m2, mxf6, mxf6_e3m2, mxf4, nvf4 (default: mxf8).")
  private String format;

  @Option(names = "--format-b", paramLabel = "NAME", description = "The same for B (default: as A's).")
  private Optional<String> formatB = Optional.empty();

  @Option(names = "--scales", paramLabel = "ocp|covering", defaultValue = "ocp", description = {
      "Powers of two as the standard chooses them, where the largest numbers may saturate,",
      "or the least with which nothing does (default: ocp)."})
  private ScaleRule scales;

  @Option(names = "--kernel", paramLabel = "sm100|sm120", defaultValue = "sm100",
      description = "By tcgen05, or by the mma.sync of SM120, which multiplies mxf8, mxf4 and nvf4 (default: sm100).")
  private String kernel;

  @Mixin
  private GemmEpilogueOptions epilogue;

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  public RunNarrowGemm(Console console) {
    this.console = console;
  }

  record Row(String out, int m, int n, int k, int batch, String format, String backend, double ms, List<?> findings) {}

  @Override
  public Integer call() {
    AtomicFile.requireWritable(files.out());
    try (var arena = Arena.ofShared()) {
      // The shapes must fit; the type that this finds is not used.
      var operands = files.read(Optional.of(ElementType.F32), arena);
      var types = types();
      var target = target();
      var left = QuantizedOperand.of(operands.a(), named(format), target, backend, arena);
      var right = QuantizedOperand.of(operands.b(), named(formatB.orElse(format)), target, backend,
          arena);
      var problem = problem(types, operands);
      var buffers = new HashMap<>(Map.of("A", left.elements(), "SA", left.scales(), "B", right.elements(), "SB",
          right.scales(), "C", arena.allocate(problem.batch() * problem.c().batchStride() * types.output().bytes(),
          ALIGNMENT), "FA", left.factors(), "FB", right.factors()));
      var arguments = epilogue.of(problem, arena, buffers);
      if (named(format).hasFactor()) arguments = withFactors(arguments, problem);
      var launch = prepare(types, problem, operands.a().columns(), arguments);
      var product = backend.run(launch.on(buffers), console);
      var findings = new ArrayList<Object>(left.findings());
      findings.addAll(right.findings());
      findings.addAll(product.findings());
      if (findings.isEmpty()) write(problem, operands.batched(), buffers.get("C"), arena);
      return report(new Row(files.out().toString(), problem.m(), problem.n(), operands.a().columns(),
          problem.batch(), format + formatB.map(other -> "*" + other).orElse(""), backend.toString(),
          left.ms() + right.ms() + product.ms(), findings));
    }
  }

  private UmmaTypes types() {
    var left = named(format);
    var right = named(formatB.orElse(format));
    try {
      return UmmaTypes.of(left, right, files.output());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("invalid --format " + format + " with --format-b " + formatB.orElse(format) + ": "
          + e.getMessage());
    }
  }

  private Target target() {
    return switch (kernel) {
      case "sm100" -> Target.SM100A;
      case "sm120" -> Target.SM120A;
      default -> throw CommandFailure.badInput("invalid --kernel " + kernel + ": sm100 or sm120");
    };
  }

  private PreparedLaunch prepare(UmmaTypes types, GemmProblem problem, int k, EpilogueArguments arguments) {
    try {
      return target().equals(Target.SM120A) ? Sm120NarrowGemm.prepare(types, problem, k, arguments)
          : NarrowGemm.prepare(NarrowGemm.configure(types, problem.m(), problem.n()), problem, k, arguments);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private NarrowFormat named(String name) {
    try {
      return NarrowFormat.named(name.toLowerCase(Locale.ROOT)).scaledBy(scales);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  /** Factors that the quantizers have left, of one matrix for all entries or of each. */
  private static EpilogueArguments withFactors(EpilogueArguments epilogue, GemmProblem problem) {
    long batch = problem.batch();
    return NarrowGemm.withFactors(epilogue, problem.batch())
        .with("FA", factors("FA", batch, problem.a())).with("FB", factors("FB", batch, problem.b()));
  }

  private static LaunchArguments.Tensor factors(String name, long batch, Matrix of) {
    return new LaunchArguments.Tensor(name, 0, List.of(batch), List.of(of.batchStride() == 0 ? 0L : 1L));
  }

  /** Returns the problem with rows of C padded for tensor copies; a matrix without a batch has batch stride 0. */
  private static GemmProblem problem(UmmaTypes types, GemmOperands operands) {
    int m = operands.a().rows();
    int n = operands.b().rows();
    var packed = NarrowGemm.problem(types, m, n, operands.a().columns(), operands.batch());
    int each = ROW_BYTES / types.output().bytes();
    var c = Matrix.rowMajor("C", m, (long) Math.ceilDiv(n, each) * each);
    return new GemmProblem(packed.types(), m, n, packed.k(), operands.batch(),
        operands.a().batch().isPresent() ? packed.a() : repeated(packed.a()),
        operands.b().batch().isPresent() ? packed.b() : repeated(packed.b()), c, 1, 0);
  }

  private static Matrix repeated(Matrix matrix) {
    return new Matrix(matrix.buffer(), matrix.offset(), matrix.rowStride(), matrix.columnStride(), 0);
  }

  private void write(GemmProblem problem, boolean batched, MemorySegment c, Arena arena) {
    long row = (long) problem.n() * problem.output().bytes();
    long rows = (long) problem.batch() * problem.m();
    var packed = arena.allocate(row * rows, ALIGNMENT);
    for (long i = 0; i < rows; i++) {
      MemorySegment.copy(c, i * problem.c().rowStride() * problem.output().bytes(), packed, i * row, row);
    }
    var shape = List.of((long) problem.batch(), (long) problem.m(), (long) problem.n());
    new NpyFile(new NpyHeader(NpyType.of(problem.output()), false, batched ? shape : shape.subList(1, 3)), packed)
        .write(files.out());
  }

  private int report(Row row) {
    console.result(row, "%s: C = A·Bᵀ, %d×%d×%d%s in %s on %s, %.1f ms".formatted(
        row.findings().isEmpty() ? files.out() : "not written", row.m, row.n, row.k,
        row.batch > 1 ? ", batch of " + row.batch : "", row.format, row.backend, row.ms));
    row.findings().forEach(finding -> console.note(finding.toString()));
    return row.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
