package tilewright.cli;

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
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.UmmaTypes;

/** {@code tilewright run narrow-gemm}: quantizes matrices in {@code .npy} files and multiplies them. */
@Command(name = "narrow-gemm", description = {
    "Quantize matrices to floats of four to eight bits with scales in blocks, and multiply them on Blackwell:",
    "C = A·Bᵀ, with A of M×K, B of N×K and C of M×N, or C = f(alpha·A·Bᵀ + beta·C + bias)."})
final class RunNarrowGemm implements Callable<Integer> {
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

  @Mixin
  private GemmEpilogueOptions epilogue;

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  RunNarrowGemm(Console console) {
    this.console = console;
  }

  record Row(String out, int m, int n, int k, String format, String backend, double ms, List<?> findings) {}

  @Override
  public Integer call() {
    AtomicFile.requireWritable(files.out());
    try (var arena = Arena.ofShared()) {
      // The shapes must fit; the type that this finds is not used.
      var operands = files.read(Optional.of(ElementType.F32), arena);
      var types = types();
      var left = QuantizedOperand.of(operands.a(), named(format), backend, arena);
      var right = QuantizedOperand.of(operands.b(), named(formatB.orElse(format)), backend, arena);
      var problem = problem(types, operands);
      var buffers = new HashMap<>(Map.of("A", left.elements(), "SA", left.scales(), "B", right.elements(), "SB",
          right.scales(), "C", arena.allocate(problem.c().batchStride() * types.output().bytes(), ALIGNMENT)));
      var arguments = epilogue.of(problem, left.factor() * right.factor(), arena, buffers);
      var config = NarrowGemm.configure(types, problem.m(), problem.n());
      var product = backend.run(NarrowGemm.prepare(config, problem, operands.a().columns(), arguments).on(buffers));
      var findings = new ArrayList<Object>(left.findings());
      findings.addAll(right.findings());
      findings.addAll(product.findings());
      if (findings.isEmpty()) write(problem, buffers.get("C"), arena);
      return report(new Row(files.out().toString(), problem.m(), problem.n(), operands.a().columns(),
          format + formatB.map(other -> "*" + other).orElse(""), backend.toString(),
          left.ms() + right.ms() + product.ms(), findings));
    }
  }

  private UmmaTypes types() {
    var left = named(format);
    var right = named(formatB.orElse(format));
    if (left.kind() != right.kind()) {
      throw CommandFailure.badInput("--format " + format + " and --format-b " + formatB.get()
          + " are not multiplied: mxf8 and mxf6 mix, mxf4 and nvf4 do not");
    }
    return new UmmaTypes(left.kind(), left.element(), right.element(), files.output());
  }

  private NarrowFormat named(String name) {
    try {
      return NarrowFormat.named(name.toLowerCase(Locale.ROOT)).scaledBy(scales);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  /** With rows of C that tensor copies can store. */
  private static GemmProblem problem(UmmaTypes types, GemmOperands operands) {
    int m = operands.a().rows();
    int n = operands.b().rows();
    var packed = NarrowGemm.problem(types, m, n, operands.a().columns());
    int each = ROW_BYTES / types.output().bytes();
    var c = Matrix.rowMajor("C", m, (long) Math.ceilDiv(n, each) * each);
    return new GemmProblem(packed.types(), m, n, packed.k(), 1, packed.a(), packed.b(), c, 1, 0);
  }

  private void write(GemmProblem problem, MemorySegment c, Arena arena) {
    long row = (long) problem.n() * problem.output().bytes();
    var packed = arena.allocate(row * problem.m(), ALIGNMENT);
    for (long i = 0; i < problem.m(); i++) {
      MemorySegment.copy(c, i * problem.c().rowStride() * problem.output().bytes(), packed, i * row, row);
    }
    new NpyFile(new NpyHeader(NpyType.of(problem.output()), false, List.of((long) problem.m(), (long) problem.n())),
        packed).write(files.out());
  }

  private int report(Row row) {
    console.result(row, "%s: C = A·Bᵀ, %d×%d×%d in %s on %s, %.1f ms".formatted(
        row.findings().isEmpty() ? files.out() : "not written", row.m, row.n, row.k, row.format, row.backend, row.ms));
    row.findings().forEach(finding -> console.note(finding.toString()));
    return row.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
