package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;
import tilewright.sm90.DualGemm;

/** The GEMM of two matrices that share A, and the gate that makes one of both products. */
final class Sm90DualGemmDescription implements KernelDescription {
  private static final Setting ACTIVATION = Setting.option("activation", Pointwise.SWISH.text(),
      Pointwise.GELU_ERF.text(), Pointwise.GELU_TANH.text(), Pointwise.RELU.text(), Pointwise.SIGMOID.text());

  @Override
  public String name() {
    return "sm90_dual_gemm";
  }

  @Override
  public String formula() {
    return "C = f(A·B₁ᵀ) · (A·B₂ᵀ), where f is swish (SwiGLU) or another activation; B is (2N, K)";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(GemmSettings.anyOperand(), GemmSettings.otherOperand(),
        Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32),
        Setting.option("accumulation", Accumulation.FAST.text(), Accumulation.EXACT.text()),
        Setting.extent("batch", 1), ACTIVATION, Setting.factor("alpha", 1), GemmSettings.QUANTIZE);
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var types = GemmSettings.types(choice, Accumulation.named(choice.text("accumulation")));
    var problem = GemmSettings.problem(choice, types, choice.number("batch")).scaled(choice.factor("alpha"), 0);
    var tree = DualGemm.gated(activation(choice.text("activation")), problem.output());
    return DualGemm.packed(problem, EpilogueArguments.packed(GemmSettings.quantized(choice, tree), problem)).prepare();
  }

  private static Pointwise activation(String text) {
    return Arrays.stream(Pointwise.values()).filter(f -> f.text().equals(text)).findFirst().orElseThrow();
  }

  /** The SwiGLU of layers whose C has n columns. */
  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, Sm90DualGemmDescription::timed));
  }

  private static List<Supplier<TimedProblem>> timed(TimingRequest request) {
    var all = new ArrayList<Supplier<TimedProblem>>();
    for (var types : GemmTimings.types(request)) {
      for (var quantize : request.values("quantize", "none")) {
        all.add(() -> timed(types, GemmSettings.quantizes(quantize), request.extent("m"), request.extent("n"),
            request.extent("k")));
      }
    }
    return all;
  }

  private static TimedProblem timed(GemmTypes rounded, boolean codes, int m, int n, int k) {
    var types = codes ? new GemmTypes(rounded.a(), rounded.b(), ElementType.E4M3, rounded.accumulation()) : rounded;
    var p = GemmProblem.packed(types, m, n, k, 1, "TN");
    var gate = DualGemm.gated(Pointwise.SWISH, types.output());
    var tree = codes ? gate.unrounded().quantize("factors") : gate;
    var gemm = DualGemm.packed(p, EpilogueArguments.packed(tree, p));
    var config = gemm.configure();
    var tensors = new ArrayList<>(List.of(TimedProblem.Tensor.input("A", types.a(), (long) m * k),
        TimedProblem.Tensor.input("B", types.b(), 2L * n * k)));
    tensors.addAll(EpilogueTiming.tensors(gemm.epilogue(), types.output(), (long) m * n));
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "dual_gemm", "m", m, "n", n, "k", k, "dtype", types.a().text());
    return new TimedProblem("sm90_dual_gemm", "sm90", m + "x" + n + "x" + k + " " + config + " swiglu"
        + (codes ? " quantize 1x128" : ""), gemm.prepare(config), tensors, bytes, 4.0 * m * n * k, peer);
  }
}
