package tilewright.sm120.library;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;
import tilewright.sm120.Sm120NarrowGemm;

/** The GEMM of floats with block scales by {@code mma.sync}. */
final class Sm120NarrowGemmDescription implements KernelDescription {
  private static final String[] FORMATS = {"mxf8", "mxf8_e5m2", "mxf4", "nvf4"};

  @Override
  public String name() {
    return "sm120_narrow_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of floats of 8 and 4 bits with block scales, by mma.sync: mxf8, mxf4, nvf4";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(Setting.option("format", FORMATS), Setting.option("formatb",
        Stream.concat(Stream.of("same"), Stream.of(FORMATS)).toArray(String[]::new))));
    settings.addAll(GemmSettings.extents());
    settings.addAll(List.of(Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32),
        Setting.extent("batch", 1), Setting.factor("alpha", 1)));
    return settings;
  }

  @Override
  public Target target() {
    return Target.SM120A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var a = NarrowFormat.named(choice.text("format"));
    var b = choice.text("formatb").equals("same") ? a : NarrowFormat.named(choice.text("formatb"));
    var types = UmmaTypes.of(a, b, choice.type("out"));
    int k = choice.number("k");
    var problem = NarrowGemm.problem(types, choice.number("m"), choice.number("n"), k, choice.number("batch"))
        .scaled(choice.factor("alpha"), 0);
    return Sm120NarrowGemm.prepare(types, problem, k, EpilogueArguments.plain(problem));
  }
}
