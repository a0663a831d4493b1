package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.HopperGemm;

/** The Hopper GEMM with named epilogues, bf16 in and out. */
final class EpilogueProblems {
  private EpilogueProblems() {}

  static Measured measured(String epilogue, int m, int n, int k) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN").scaled(1, 0.5f);
    var tree = StandardEpilogue.parse(epilogue).tree(problem.output());
    var given = EpilogueArguments.packed(tree, problem);
    var tensors = new ArrayList<>(List.of(Measured.Tensor.input("A", problem.types().a(), (long) m * k),
        Measured.Tensor.input("B", problem.types().b(), (long) n * k)));
    tree.inputs().forEach((name, type) -> {
      if (!name.equals("C")) tensors.add(Measured.Tensor.input(name, type, elements(given, name)));
    });
    tensors.add(tree.inputs().containsKey("C") ? Measured.Tensor.input("C", problem.output(), (long) m * n)
        : Measured.Tensor.output("C", problem.output(), (long) m * n));
    tree.outputs().forEach((name, type) -> tensors.add(Measured.Tensor.output(name, type, elements(given, name))));
    var config = HopperGemm.configure(problem, tree);
    long bytes = tensors.stream().mapToLong(Measured.Tensor::bytes).sum();
    return new Measured("sm90_gemm", "sm90", m + "x" + n + "x" + k + " " + config + " epilogue " + epilogue,
        HopperGemm.prepare(problem, config, given), tensors, bytes, 2.0 * m * n * k, Map.of());
  }

  private static long elements(EpilogueArguments given, String name) {
    LaunchArguments.Tensor tensor = given.tensors().get(name);
    return tensor.extents().stream().reduce(1L, Math::multiplyExact);
  }
}
