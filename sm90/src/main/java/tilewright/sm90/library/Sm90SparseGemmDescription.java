package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
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
import tilewright.sm90.SparseGemm;
import tilewright.sm90.Sm90GemmConfig;

/** The GEMM whose A stores two of every four elements along k. */
final class Sm90SparseGemmDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm90_sparse_gemm";
  }

  @Override
  public String formula() {
    return "C = f(alpha·A·Bᵀ + beta·C), where of every four elements of A along k two are stored, and metadata E say"
        + " which";
  }

  @Override
  public List<Setting> settings() {
    return GemmSettings.of(GemmSettings.anyOperand(), GemmSettings.otherOperand(), GemmSettings.anyOutput(),
        Setting.option("accumulation", Accumulation.FAST.text(), Accumulation.EXACT.text()),
        GemmSettings.accumulator(), Setting.extent("batch", 1), tiles(), Setting.text("epilogue", "plain"),
        Setting.factor("alpha", 1), Setting.factor("beta", 0), GemmSettings.QUANTIZE);
  }

  @Override
  public Target target() {
    return Target.SM90A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var types = GemmSettings.types(choice, Accumulation.named(choice.text("accumulation")))
        .summedIn(choice.type(GemmSettings.ACCUMULATOR));
    var problem = SparseGemm.problem(types, choice.number("m"), choice.number("n"), choice.number("k"),
        choice.number("batch"), choice.text("order")).scaled(choice.factor("alpha"), choice.factor("beta"));
    var gemm = SparseGemm.packed(problem, EpilogueArguments.packed(GemmSettings.tree(choice, problem), problem));
    var tile = choice.text("tile");
    return tile.equals("auto") ? gemm.prepare() : gemm.prepare(gemm.configure(tile));
  }

  private static Setting tiles() {
    return Setting.option("tile", Stream.concat(Stream.of("auto"), SparseGemm.tiles().stream())
        .toArray(String[]::new));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(Timing.of(GemmTimings.SETTINGS, Sm90SparseGemmDescription::timed));
  }

  private static List<Supplier<TimedProblem>> timed(TimingRequest request) {
    var all = new ArrayList<Supplier<TimedProblem>>();
    for (var types : GemmTimings.types(request)) {
      for (var order : types.b().bits() == Short.SIZE ? List.of("TN", "TT") : List.of("TN")) {
        if (!request.settings().getOrDefault("order", order).equals(order)) continue;
        for (var shape : request.shapes()) {
          var gemm = SparseGemm.packed(
              SparseGemm.problem(types, shape.get(0), shape.get(1), shape.get(2), 1, order));
          gemm.configurations().stream().limit(request.everyVariant() ? Long.MAX_VALUE : 1)
              .forEach(config -> all.add(() -> timed(gemm, config, order)));
        }
      }
    }
    return all;
  }

  /** One problem, whose operations are those of a dense A. */
  private static TimedProblem timed(SparseGemm gemm, Sm90GemmConfig config, String order) {
    var p = gemm.problem();
    var positions = p.types().a() == ElementType.TF32 ? List.of(0x4, 0xE) : List.of(0x4, 0x8, 0x9, 0xC, 0xD, 0xE);
    var tensors = List.of(TimedProblem.Tensor.input("A", p.types().a(), p.a().batchStride()),
        new TimedProblem.Tensor("E", ElementType.I32, gemm.metadata().batchStride(),
            new TimedProblem.Content.Fours(positions)),
        TimedProblem.Tensor.input("B", p.types().b(), (long) p.n() * p.k()),
        TimedProblem.Tensor.output("C", p.output(), (long) p.m() * p.n()));
    Map<String, Object> peer = Map.of("op", "sparse_gemm", "m", p.m(), "n", p.n(), "k", p.k(), "dtype",
        p.types().a().text(), "transB", order.equals("TN"));
    return new TimedProblem("sm90_sparse_gemm", "sm90", p.m() + "x" + p.n() + "x" + p.k() + " " + config,
        gemm.prepare(config), tensors, tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum(),
        2.0 * p.m() * p.n() * p.k(), peer);
  }
}
