package tilewright.sm100.library;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;
import tilewright.sm100.ScaleRule;

/** The quantization to narrow floats. */
final class Sm100QuantizeDescription implements KernelDescription {
  @Override
  public String name() {
    return "sm100_quantize";
  }

  @Override
  public String formula() {
    return "Rows of f32, bf16 or f16 as elements and scales of sm100_narrow_gemm";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.option("format", NarrowFormat.named().keySet().toArray(String[]::new)),
        Setting.types("dtype", ElementType.BF16, ElementType.F16, ElementType.F32), Setting.extent("m", 1024),
        Setting.extent("k", 1024), Setting.option("scales", Arrays.stream(ScaleRule.values())
            .map(Sm100QuantizeDescription::text).toArray(String[]::new)));
  }

  @Override
  public Target target() {
    return Target.SM100A;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var rule = ScaleRule.valueOf(choice.text("scales").toUpperCase(Locale.ROOT));
    var layout = new NarrowLayout(NarrowFormat.named(choice.text("format")).scaledBy(rule), choice.number("m"),
        choice.number("k"));
    var x = new LaunchArguments.Tensor("X", 0, List.of((long) layout.rows(), (long) layout.k()),
        List.of((long) layout.k(), 1L));
    return NarrowQuantization.quantize(layout, choice.type("dtype"), x);
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
