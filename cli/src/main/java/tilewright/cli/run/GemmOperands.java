package tilewright.cli.run;

import java.util.Optional;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.NpyMatrix;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;

/** A (M×K) and B (N×K) of a GEMM, checked against each other. */
record GemmOperands(NpyMatrix a, NpyMatrix b, ElementType type, int batch) {

  /**
   * @param wanted the type to multiply in; without one, the type of the files, f32 and f64 being rounded to bf16
   * @throws CommandFailure naming the file that does not fit the other
   */
  static GemmOperands of(NpyMatrix a, NpyMatrix b, Optional<ElementType> wanted) {
    if (a.columns() != b.columns()) {
      var text = "has K = %d (it is read as N×K = %d×%d), but A has K = %d (%s)%s";
      throw CommandFailure.badFile(b.path(),
          text.formatted(b.columns(), b.rows(), b.columns(), a.columns(), a, hint(a, b)));
    }
    return new GemmOperands(a, b, wanted.orElseGet(() -> commonType(a, b)), batch(a, b));
  }

  private static String hint(NpyMatrix a, NpyMatrix b) {
    return a.columns() == b.rows() ? "; --trans-b reads it as K×N" : "";
  }

  private static int batch(NpyMatrix a, NpyMatrix b) {
    var batches = Stream.of(a, b).flatMap(matrix -> matrix.batch().stream()).distinct().toList();
    if (batches.size() > 1) {
      throw CommandFailure.badFile(b.path(),
          "is a batch of " + batches.get(1) + ", but A is a batch of " + batches.get(0));
    }
    return batches.isEmpty() ? 1 : batches.getFirst();
  }

  private static ElementType commonType(NpyMatrix a, NpyMatrix b) {
    for (var matrix : new NpyMatrix[] {a, b}) {
      if (matrix.type().isEmpty()) {
        throw CommandFailure.badFile(matrix.path(), matrix.file().header().type().bytes() == 1
            ? "its element type is '" + matrix.file().header().type().descr() + "'; say --dtype e4m3 or e5m2"
            : "its element type is 'u2'; say --dtype bf16 if it holds bfloat16");
      }
    }
    // f32 and f64 have no tensor-core type of their own here; they take the other operand's.
    var narrow = Stream.of(a, b).flatMap(m -> m.type().stream()).filter(type -> type.bytes() == 2).distinct().toList();
    if (narrow.size() > 1) {
      throw CommandFailure.badFile(b.path(), "is " + narrow.get(1).text() + ", but A is " + narrow.get(0).text()
          + "; needed are operands of one type, or --dtype");
    }
    return narrow.isEmpty() ? ElementType.BF16 : narrow.getFirst();
  }

  /**
   * The problem on buffers A, B and C, C being packed in C order.
   *
   * @throws CommandFailure unless operands of the type accumulate so
   */
  GemmProblem problem(ElementType output, ElementType accumulator) {
    if (accumulator == ElementType.F16 && type != ElementType.F16) {
      throw CommandFailure.badInput("--acc f16 needs operands of f16, and these are multiplied in " + type.text()
          + ": add --dtype f16, or leave it out");
    }
    return new GemmProblem(GemmTypes.of(type, output).summedIn(accumulator), a.rows(), b.rows(), a.columns(), batch,
        a.matrix("A"), b.matrix("B"), Matrix.rowMajor("C", a.rows(), b.rows()), 1, 0);
  }

  /** Whether the result has a batch index of its own. */
  boolean batched() {
    return a.batch().isPresent() || b.batch().isPresent();
  }
}
