package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;

/** The Hopper GEMM with named epilogues, bf16 in and out. */
final class EpilogueTiming {
  private EpilogueTiming() {}

  /** Every epilogue that a request names, whose results are rounded, or quantised. */
  static List<Supplier<TimedProblem>> problems(TimingRequest request) {
    return request.values("quantize", "none").stream().flatMap(quantize ->
        request.values("epilogue", StandardEpilogue.PLAIN.text()).stream().<Supplier<TimedProblem>>map(name -> () ->
            problem(name, quantize, request.extent("m"), request.extent("n"), request.extent("k")))).toList();
  }

  private static TimedProblem problem(String epilogue, String quantize, int m, int n, int k) {
    boolean codes = GemmSettings.quantizes(quantize);
    var problem = GemmProblem.packed(ElementType.BF16, codes ? ElementType.E4M3 : ElementType.BF16, m, n, k, 1, "TN")
        .scaled(1, codes ? 0 : 0.5f);
    var tree = tree(epilogue, codes, ElementType.BF16);
    var given = EpilogueArguments.packed(tree, problem);
    var tensors = new ArrayList<>(List.of(TimedProblem.Tensor.input("A", problem.types().a(), (long) m * k),
        TimedProblem.Tensor.input("B", problem.types().b(), (long) n * k)));
    tensors.addAll(tensors(given, problem.output(), (long) m * n));
    var config = Sm90Gemms.configure(problem, tree);
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    return new TimedProblem("sm90_gemm", "sm90", m + "x" + n + "x" + k + " " + config + " epilogue " + epilogue
        + (codes ? " quantize " + quantize : ""),
        Sm90Gemms.prepare(problem, config, given), tensors, bytes, 2.0 * m * n * k, Map.of());
  }

  /** The tree of an epilogue's name. */
  static Epilogue tree(String epilogue, boolean codes, ElementType type) {
    var rounded = StandardEpilogue.parse(epilogue).tree(type);
    return codes ? rounded.unrounded().quantize("factors") : rounded;
  }

  /** C, and what an epilogue reads and writes besides. */
  static List<TimedProblem.Tensor> tensors(EpilogueArguments given, ElementType output, long elements) {
    var tree = given.tree();
    var tensors = new ArrayList<TimedProblem.Tensor>();
    tree.inputs().forEach((name, type) -> {
      if (!name.equals("C")) tensors.add(TimedProblem.Tensor.input(name, type, elements(given, name)));
    });
    tensors.add(tree.inputs().containsKey("C") ? TimedProblem.Tensor.input("C", output, elements)
        : TimedProblem.Tensor.output("C", output, elements));
    tree.outputs().forEach((name, type) -> tensors.add(TimedProblem.Tensor.output(name, type, elements(given, name))));
    return tensors;
  }

  private static long elements(EpilogueArguments given, String name) {
    LaunchArguments.Tensor tensor = given.tensors().get(name);
    return 1 + IntStream.range(0, tensor.extents().size())
        .mapToLong(i -> (tensor.extents().get(i) - 1) * tensor.strides().get(i)).sum();
  }
}
