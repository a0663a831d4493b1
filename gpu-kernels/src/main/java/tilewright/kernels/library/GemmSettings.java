package tilewright.kernels.library;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;

/** The settings that GEMM kernels share, and what they say. */
public final class GemmSettings {
  /** Orders of the operands as BLAS names them: T is along k for A, N for B. */
  public static final Setting ORDER = Setting.option("order", "TN", "TT", "NN", "NT");
  /** The name of the setting for the type of the tensor core's accumulators. */
  public static final String ACCUMULATOR = "acc";
  private static final String NONE = "none";
  /** C as e4m3 codes with an FP32 factor for each 128 columns of a row; other tensors of the epilogue are bf16 then. */
  public static final Setting QUANTIZE = Setting.option("quantize", NONE, "1x128");
  private static final ElementType[] OPERANDS = {ElementType.BF16, ElementType.F16, ElementType.TF32,
      ElementType.E4M3, ElementType.E5M2, ElementType.I8};
  private static final int EXTENT = 1024;

  private GemmSettings() {}

  /** The extents of a matrix multiply. */
  public static List<Setting> extents() {
    return Stream.of("m", "n", "k").map(name -> Setting.extent(name, EXTENT)).toList();
  }

  /** The element type of both operands, the extents and the order; {@code more} behind them. */
  public static List<Setting> of(Setting type, Setting... more) {
    return Stream.of(Stream.of(type), extents().stream(), Stream.of(ORDER), Stream.of(more)).flatMap(s -> s).toList();
  }

  /** The types of a kernel that multiplies all that tensor cores do, each operand in its own. */
  public static Setting anyOperand() {
    return Setting.types("dtype", OPERANDS);
  }

  /** The type of B, where it may be another. */
  public static Setting otherOperand() {
    return withFirst("same", Setting.types("dtypeb", OPERANDS));
  }

  /** The type of C; {@code auto} is the usual one of the operands. */
  public static Setting anyOutput() {
    return withFirst("auto", Setting.types("out", ElementType.BF16, ElementType.F16, ElementType.F32,
        ElementType.I32));
  }

  /** The type of the tensor core's accumulators: operands of f16 have a choice. */
  public static Setting accumulator() {
    return Setting.types(ACCUMULATOR, ElementType.F32, ElementType.F16);
  }

  /** A setting with one more value, its default. */
  public static Setting withFirst(String value, Setting setting) {
    return Setting.option(setting.name(), Stream.concat(Stream.of(value), setting.values().stream())
        .toArray(String[]::new));
  }

  /** The types that {@link #anyOperand}, {@link #otherOperand} and {@link #anyOutput} say. */
  public static GemmTypes types(Choice choice, Accumulation accumulation) {
    var a = choice.type("dtype");
    var b = choice.text("dtypeb").equals("same") ? a : choice.type("dtypeb");
    var output = choice.text("out").equals("auto") ? GemmTypes.usualOutput(a) : choice.type("out");
    return new GemmTypes(a, b, quantizes(choice) ? ElementType.E4M3 : output, accumulation);
  }

  /** Whether {@link #QUANTIZE} says so. */
  public static boolean quantizes(Choice choice) {
    return quantizes(choice.values().getOrDefault(QUANTIZE.name(), NONE));
  }

  /** Whether this value of {@link #QUANTIZE} says so. */
  public static boolean quantizes(String value) {
    if (!QUANTIZE.values().contains(value)) {
      throw new IllegalArgumentException("invalid quantize " + value + ": " + String.join(" or ", QUANTIZE.values()));
    }
    return !value.equals(NONE);
  }

  /** The tree, or that which quantises instead of rounding at its root, by {@link #QUANTIZE}. */
  public static Epilogue quantized(Choice choice, Epilogue tree) {
    return quantizes(choice) ? tree.unrounded().quantize("factors") : tree;
  }

  /** The problem with packed matrices, of the types. */
  public static GemmProblem problem(Choice choice, GemmTypes types, int batch) {
    return GemmProblem.packed(types, choice.number("m"), choice.number("n"), choice.number("k"), batch,
        choice.values().getOrDefault("order", "TN"));
  }

  /**
   * The epilogue that the setting of this name says.
   *
   * @throws IllegalArgumentException when it is none, or ignores the problem's beta
   */
  public static EpilogueArguments epilogue(Choice choice, GemmProblem problem) {
    return EpilogueArguments.packed(tree(choice, problem), problem);
  }

  /**
   * The epilogue's tree.
   *
   * @throws IllegalArgumentException when it is none, or ignores the problem's beta
   */
  public static Epilogue tree(Choice choice, GemmProblem problem) {
    var chosen = StandardEpilogue.parse(choice.text("epilogue"));
    if (chosen == StandardEpilogue.PLAIN) return quantized(choice, EpilogueArguments.plain(problem).tree());
    var tree = chosen.tree(quantizes(choice) ? ElementType.BF16 : problem.output());
    if (problem.beta() != 0 && !tree.nodes(Epilogue.Scalar.class).contains(new Epilogue.Scalar("beta"))) {
      throw new IllegalArgumentException("epilogue " + chosen.text() + " has no beta: leave it at 0");
    }
    return quantized(choice, tree);
  }
}
