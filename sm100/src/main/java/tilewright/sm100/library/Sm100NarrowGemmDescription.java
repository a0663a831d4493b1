package tilewright.sm100.library;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** The GEMM of narrow floats with scales in blocks. */
final class Sm100NarrowGemmDescription implements KernelDescription {
  /** The kinds of {@code tcgen05.mma} that multiply narrow floats, the default first. */
  private static final List<MmaKind> KINDS = List.of(MmaKind.MXF8F6F4, MmaKind.F8F6F4, MmaKind.MXF4, MmaKind.NVF4);

  private final Target target;

  Sm100NarrowGemmDescription() {
    this(Target.SM100A);
  }

  private Sm100NarrowGemmDescription(Target target) {
    this.target = target;
  }

  @Override
  public String name() {
    return "sm100_narrow_gemm";
  }

  @Override
  public String formula() {
    return "C = A·Bᵀ of floats of four to eight bits, with scales in blocks: mxf8, mxf6, mxf4, nvf4, or without";
  }

  @Override
  public List<Setting> settings() {
    var settings = new ArrayList<>(List.of(
        Setting.option("kind", KINDS.stream().map(Sm100NarrowGemmDescription::text).toArray(String[]::new)),
        element("dtype"), element("dtypeb")));
    settings.addAll(GemmSettings.extents());
    settings.addAll(List.of(GemmSettings.ORDER, Setting.types("out", ElementType.BF16, ElementType.F16,
        ElementType.F32), Setting.extent("batch", 1), Setting.factor("alpha", 1)));
    return settings;
  }

  @Override
  public Sm100NarrowGemmDescription on(int capability) {
    return new Sm100NarrowGemmDescription(capability == Target.SM103A.capability() ? Target.SM103A : Target.SM100A);
  }

  @Override
  public Target target() {
    return target;
  }

  @Override
  public PreparedLaunch launchFor(Choice choice) {
    var kind = MmaKind.valueOf(choice.text("kind").toUpperCase(Locale.ROOT));
    var a = element(choice, "dtype", kind.perContainer() > 1 ? MmaFormat.E2M1 : MmaFormat.E4M3);
    var types = new UmmaTypes(kind, a, element(choice, "dtypeb", a), choice.type("out"));
    int k = choice.number("k");
    var problem = NarrowGemm.problem(types, choice.number("m"), choice.number("n"), k, choice.number("batch"),
        choice.text("order")).scaled(choice.factor("alpha"), 0);
    return NarrowGemm.prepare(NarrowGemm.configure(types, problem, target), problem, k,
        EpilogueArguments.plain(problem));
  }

  private static Setting element(String name) {
    var formats = Arrays.stream(MmaFormat.values()).filter(f -> f.bits() <= Byte.SIZE && f != MmaFormat.U8
        && f != MmaFormat.S8).map(MmaFormat::text);
    return Setting.option(name, Stream.concat(Stream.of("auto"), formats).toArray(String[]::new));
  }

  private static MmaFormat element(Choice choice, String name, MmaFormat usual) {
    var chosen = choice.text(name);
    return chosen.equals("auto") ? usual : MmaFormat.valueOf(chosen.toUpperCase(Locale.ROOT));
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
