package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;

/** The matrix multiplies that are timed. */
public final class GemmTimings {
  /** The settings of the timings of all GEMMs. */
  public static final Set<String> SETTINGS = Set.of("order", "m", "n", "k", "shape", "dtype", "dtypeb", "out",
      "accumulation", "step", "epilogue", "grouping", "weights", GemmSettings.ACCUMULATOR,
      GemmSettings.QUANTIZE.name(), "split");
  private static final List<String> ORDERS = List.of("TN", "NN", "TT", "NT");

  private GemmTimings() {}

  /** A configuration of a kernel for some problem, by the name that reports give it. */
  public record Configured(Object configuration, Supplier<PreparedLaunch> launch) {}

  /**
   * Every shape of a request in every operand order that there is; what is not 16 bits wide must lie along k.
   *
   * @param scales the tensors that a problem has besides its matrices
   */
  public static List<Supplier<TimedProblem>> problems(KernelDescription kernel, TimingRequest request,
      List<GemmTypes> forms, Function<GemmProblem, List<Configured>> configurations,
      Function<GemmProblem, List<TimedProblem.Tensor>> scales) {
    var all = new ArrayList<Supplier<TimedProblem>>();
    for (var types : forms) {
      for (var order : types.a().bits() == 16 ? ORDERS : ORDERS.subList(0, 1)) {
        if (!request.settings().getOrDefault("order", order).equals(order)) continue;
        for (var shape : request.shapes()) {
          var problem = GemmProblem.packed(types, shape.get(0), shape.get(1), shape.get(2), 1, order);
          configurations.apply(problem).forEach(c -> all.add(() -> problem(kernel.name(),
              "sm" + kernel.target().capability(), problem, order, c, scales.apply(problem))));
        }
      }
    }
    return all;
  }

  /** Like the above, of kernels without scales. */
  public static List<Supplier<TimedProblem>> problems(KernelDescription kernel, TimingRequest request,
      List<GemmTypes> forms, Function<GemmProblem, List<Configured>> configurations) {
    return problems(kernel, request, forms, configurations, _ -> List.of());
  }

  /**
   * The types that a request says, of which there may be several; only 8-bit floats accumulate fast and exactly, and
   * only f16 in FP32 and f16.
   */
  public static List<GemmTypes> types(TimingRequest request) {
    var all = new ArrayList<GemmTypes>();
    for (var a : request.types("dtype", ElementType.BF16)) {
      for (var text : request.values("accumulation", "fast")) {
        var types = new GemmTypes(a, request.type("dtypeb", a), request.type("out", GemmTypes.usualOutput(a)),
            Accumulation.named(text));
        if (types.isPromoted() || types.accumulation() == Accumulation.FAST) all.addAll(accumulated(types, request));
      }
    }
    return all;
  }

  /** The types with the accumulators that a request says. */
  static List<GemmTypes> accumulated(GemmTypes types, TimingRequest request) {
    return request.types(GemmSettings.ACCUMULATOR, ElementType.F32).stream()
        .filter(type -> type == ElementType.F32 || types.a() == ElementType.F16 && types.b() == ElementType.F16)
        .map(types::summedIn).toList();
  }

  /** One problem in one configuration. */
  public static TimedProblem problem(String kernel, String arch, GemmProblem p, String order, Configured configured,
      List<TimedProblem.Tensor> scales) {
    long weights = (long) p.m() * p.k();
    // Two integers of 4 bits are measured as a byte of any value.
    var a = p.types().a() == ElementType.I4 ? TimedProblem.Tensor.input("A", ElementType.I8, weights / 2)
        : TimedProblem.Tensor.input("A", p.types().a(), weights);
    var tensors = new ArrayList<>(List.of(a,
        TimedProblem.Tensor.input("B", p.types().b(), (long) p.n() * p.k()),
        TimedProblem.Tensor.output("C", p.output(), (long) p.m() * p.n())));
    tensors.addAll(scales);
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "gemm", "m", p.m(), "n", p.n(), "k", p.k(), "dtype",
        p.types().multiplied().text(), "dtypeB", p.types().b().text(), "out", p.output().text(),
        "accumulation", p.types().accumulation().text(), "transA", order.charAt(0) == 'N',
        "transB", order.charAt(1) == 'N');
    return new TimedProblem(kernel, arch, p.m() + "x" + p.n() + "x" + p.k() + " " + configured.configuration,
        configured.launch.get(), tensors, bytes, 2.0 * p.m() * p.n() * p.k(), peer);
  }
}
