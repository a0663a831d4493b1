package tilewright.sm90.library;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;
import tilewright.sm90.SparseCompression;
import tilewright.sm90.SparseGemm;

/** The compression of a matrix for the sparse GEMM. */
final class Sm90SparseCompressionDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_sparse_compression";
  }

  @Override
  public String formula() {
    return "A, E = the larger two of every four elements of X along k, and where they stood";
  }

  @Override
  public List<Setting> settings() {
    return List.of(GemmSettings.anyOperand(), Setting.extent("m", 1024), Setting.extent("k", 1024),
        Setting.extent("batch", 1));
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    return SparseCompression.prepare(gemm(choice.type("dtype"), choice.number("m"), choice.number("k"),
        choice.number("batch")), Matrix.rowMajor("X", choice.number("m"), choice.number("k")));
  }

  /** Any product of the matrix. */
  private static SparseGemm gemm(ElementType type, int m, int k, int batch) {
    return SparseGemm.packed(SparseGemm.problem(GemmTypes.of(type, GemmTypes.usualOutput(type)), m, 1, k, batch, "TN"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(Set.of("dtype", "m", "k"), request -> request.types("dtype", ElementType.BF16).stream()
        .<Supplier<TimedProblem>>map(type -> () -> timed(type, request.extent("m"), request.extent("k"))).toList()));
  }

  private static TimedProblem timed(ElementType type, int m, int k) {
    var gemm = gemm(type, m, k, 1);
    var tensors = List.of(TimedProblem.Tensor.input("X", type, (long) m * k),
        TimedProblem.Tensor.output("A", type, gemm.problem().a().batchStride()),
        TimedProblem.Tensor.output("E", ElementType.I32, gemm.metadata().batchStride()));
    return new TimedProblem("sm90_sparse_compression", "sm90", m + "x" + k + " " + type.text(),
        SparseCompression.prepare(gemm, Matrix.rowMajor("X", m, k)), tensors,
        tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum(), 0, Map.of());
  }
}
