package tilewright.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.sm100.BlackwellGemm;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** Blackwell's products from their settings. */
final class BlackwellKernels {
  private static final List<MmaKind> KINDS = List.of(MmaKind.F8F6F4, MmaKind.MXF8F6F4, MmaKind.MXF4, MmaKind.NVF4);

  private BlackwellKernels() {}

  /** A problem on the rung that the setting names, with an epilogue. */
  static PreparedLaunch gemm(Settings s, GemmProblem problem, EpilogueArguments epilogue) {
    var rung = s.choice("rung", Stream.concat(Stream.of("auto"), BlackwellGemm.rungs().stream())
        .toArray(String[]::new));
    if (rung.equals("auto")) return BlackwellGemm.prepare(problem, epilogue);
    return s.values().get("epilogue").equals("plain") ? BlackwellGemm.prepare(problem, rung)
        : BlackwellGemm.prepare(problem, BlackwellGemm.configure(problem, rung), epilogue);
  }

  static PreparedLaunch narrowGemm(Settings s) {
    var kinds = KINDS.stream().map(BlackwellKernels::text).toArray(String[]::new);
    var kind = MmaKind.valueOf(s.choice("kind", kinds).toUpperCase(Locale.ROOT));
    var a = element(s, "dtype", kind.perContainer() > 1 ? MmaFormat.E2M1 : MmaFormat.E4M3);
    var b = element(s, "dtypeb", a);
    var types = new UmmaTypes(kind, a, b, s.type("out", ElementType.BF16, ElementType.F16, ElementType.F32));
    var problem = NarrowGemm.problem(types, s.extent("m"), s.extent("n"), s.extent("k"), s.extent("batch"),
        s.choice("order", "TN", "NN", "TT", "NT")).scaled(s.number("alpha"), 0);
    return NarrowGemm.prepare(NarrowGemm.configure(types, problem), problem, s.extent("k"),
        EpilogueArguments.plain(problem));
  }

  private static MmaFormat element(Settings s, String name, MmaFormat usual) {
    var formats = Arrays.stream(MmaFormat.values()).filter(f -> f.bits() <= Byte.SIZE && f != MmaFormat.U8
        && f != MmaFormat.S8).map(MmaFormat::text);
    var chosen = s.choice(name, Stream.concat(Stream.of("auto"), formats).toArray(String[]::new));
    return chosen.equals("auto") ? usual : MmaFormat.valueOf(chosen.toUpperCase(Locale.ROOT));
  }

  static PreparedLaunch quantizer(Settings s) {
    var rule = ScaleRule.valueOf(s.choice("scales", Arrays.stream(ScaleRule.values()).map(BlackwellKernels::text)
        .toArray(String[]::new)).toUpperCase(Locale.ROOT));
    var format = NarrowFormat.named(s.choice("format", NarrowFormat.named().keySet().toArray(String[]::new)));
    var layout = new NarrowLayout(format.scaledBy(rule), s.extent("m"), s.extent("k"));
    var x = new LaunchArguments.Tensor("X", 0, List.of((long) layout.rows(), (long) layout.k()),
        List.of((long) layout.k(), 1L));
    return NarrowQuantization.quantize(layout, s.type("dtype", ElementType.BF16, ElementType.F16, ElementType.F32), x);
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
