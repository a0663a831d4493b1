package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.RowQuantizer;
import tilewright.kernels.attention.quantization.Scaling;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizerReference;
import tilewright.reference.HeadQuantizerReference.Extents;
import tilewright.reference.Reference;
import tilewright.reference.Rotation;

/** Families that read X (B,S,H,D), the heads of Q, K or V: a CTA has a block of rows of one head. */
abstract class HeadFamily extends OptionedFamily {
  /** The type of codes, and where their factors come from. */
  static final List<Setting> CODES = List.of(Setting.types("narrow", ElementType.E4M3, ElementType.E5M2),
      Setting.option("factor", "block", "head", "given"));
  /** The change of a row before it is rounded. */
  static final List<Setting> TRANSFORM = List.of(Setting.option("rope", "none", "neighbours", "half"),
      Setting.option("hadamard", "yes", "no"));

  private final Target target;

  /** @param capability of the GPU that the kernels are for, times ten */
  HeadFamily(int capability, String name, String formula, List<Setting> options) {
    super(name, formula, options);
    target = Target.ofBytes(capability);
  }

  @Override
  List<Setting> common() {
    return List.of(Setting.extent("b", 1), Setting.extent("s", 1024), Setting.extent("h", 8), Setting.extent("d", 128),
        Setting.types("dtype", ElementType.BF16, ElementType.F16));
  }

  @Override
  public Set<String> positive() {
    return Set.of("d");
  }

  @Override
  public List<List<Integer>> measured() {
    return List.of(List.of(4, 16384, 16, 128), List.of(4, 16384, 16, 64), List.of(4, 16384, 16, 256));
  }

  @Override
  public Target target(Choice choice) {
    return target;
  }

  static Extents extents(Choice choice) {
    return new Extents(choice.number("b"), choice.number("s"), choice.number("h"), choice.number("d"));
  }

  static Rotation rotation(Choice choice) {
    return Rotation.valueOf(choice.text("rope").toUpperCase(Locale.ROOT));
  }

  static boolean hadamard(Choice choice) {
    return choice.text("hadamard").equals("yes");
  }

  static Scaling scaling(Choice choice) {
    return Scaling.valueOf(choice.text("factor").toUpperCase(Locale.ROOT));
  }

  /** The rows that the reference gives a factor: those of a CTA, or all of a head. */
  static int rowsOfFactor(Choice choice, int rows) {
    return scaling(choice) == Scaling.BLOCK ? rows : HeadQuantizerReference.WHOLE;
  }

  /** The factors of blocks of {@code rows} rows or of heads, and the maxima that they are made from. */
  static List<Operand> factors(Choice choice, int rows) {
    var blocks = Integer.toString(Math.max(1, Math.ceilDiv(choice.number("s"), rows)));
    return switch (scaling(choice)) {
      case BLOCK -> List.of(Operand.output("Factor", ElementType.F32, choice, "b", "h", blocks));
      case HEAD -> List.of(Operand.output("Factor", ElementType.F32, choice, "b", "h"),
          Operand.input("Amax", ElementType.F32, choice, "b", "h"));
      case GIVEN -> List.of(Operand.input("Factor", ElementType.F32, choice, "b", "h"));
    };
  }

  /** Angles and signs, as far as they are read. */
  static List<Operand> tables(Choice choice) {
    var tables = new ArrayList<Operand>();
    var pairs = Integer.toString(choice.number("d") / 2);
    if (rotation(choice) != Rotation.NONE) {
      tables.add(Operand.input("C", ElementType.F32, choice, "s", pairs));
      tables.add(Operand.input("T", ElementType.F32, choice, "s", pairs));
    }
    if (hadamard(choice)) tables.add(Operand.input("Signs", ElementType.F32, choice, "d"));
    return tables;
  }

  /** The kernel on X, output and other operands, with {@code rows} rows per CTA. */
  final Workload workload(Choice choice, Kernel kernel, int rows, Reference reference, Operand output,
      List<Operand> others) {
    var x = Operand.input("X", choice.type("dtype"), choice, "b", "s", "h", "d");
    return Workload.of(kernel, target, RowQuantizer.grid(x.extents(), rows), reference,
        Stream.concat(Stream.of(x, output), others.stream()).toArray(Operand[]::new));
  }
}
