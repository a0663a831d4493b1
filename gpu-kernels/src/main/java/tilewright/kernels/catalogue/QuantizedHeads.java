package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.RowQuantizer;
import tilewright.kernels.attention.quantization.RowTransform;
import tilewright.kernels.attention.quantization.Scaling;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.HeadQuantizerReference;
import tilewright.reference.Rotation;

/**
 * Quantises the heads of Q or K for attention: rotary embedding, random signs and Hadamard transform, codes and factors
 * in one pass over memory.
 *
 * @param kernel what does it
 */
record QuantizedHeads(RowQuantizer kernel) implements Kernel {
  /** Rows of a CTA where no block of rows has a factor of its own. */
  private static final int LEAST_ROWS = 64;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "quantize_heads";
    }

    @Override
    public String formula() {
      return "Y · Factor ≈ Hadamard(Signs · RoPE(X)), 8 bits, a factor per block of rows or head (B,S,H,D)";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("b", 1), Setting.extent("s", 1024), Setting.extent("h", 8),
          Setting.extent("d", 128), Setting.types("dtype", ElementType.BF16, ElementType.F16),
          Setting.types("narrow", ElementType.E4M3, ElementType.E5M2),
          Setting.option("factor", "block", "head", "given"),
          Setting.option("rope", "none", "neighbours", "half"), Setting.option("hadamard", "yes", "no"),
          Setting.option("rows", "128", "64"));
    }

    /** Each option beside the defaults of the others, and every rotation with and without the transform. */
    @Override
    public boolean supports(Choice choice) {
      var plain = defaults();
      long others = Stream.of("dtype", "narrow", "factor", "rows")
          .filter(name -> !choice.text(name).equals(plain.text(name))).count();
      boolean transformed = choice.text("rope").equals("none") && choice.text("hadamard").equals("yes");
      return others == 0 || others == 1 && transformed;
    }

    @Override
    public Set<String> positive() {
      return Set.of("d");
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(1, 1, 1, 16), List.of(1, 130, 1, 64), List.of(1, 128, 2, 256), List.of(2, 100, 1, 192),
          List.of(1, 65, 1, 80), List.of(1, 200, 2, 96), List.of(2, 129, 3, 128));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(4, 16384, 16, 128), List.of(4, 16384, 16, 64), List.of(4, 16384, 16, 256));
    }

    @Override
    public Target target(Choice choice) {
      return RowQuantizer.TARGET;
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      var narrow = choice.type("narrow");
      var rotation = Rotation.valueOf(choice.text("rope").toUpperCase(Locale.ROOT));
      var scaling = Scaling.valueOf(choice.text("factor").toUpperCase(Locale.ROOT));
      boolean hadamard = choice.text("hadamard").equals("yes");
      int d = choice.number("d");
      int rows = scaling == Scaling.BLOCK ? choice.number("rows") : LEAST_ROWS;
      var kernel = new QuantizedHeads(new RowQuantizer(new RowTransform(type, d, rows, rotation, hadamard), narrow,
          scaling));
      var blocks = Integer.toString(Math.max(1, Math.ceilDiv(choice.number("s"), rows)));
      var operands = new ArrayList<>(List.of(Operand.input("X", type, choice, "b", "s", "h", "d"),
          Operand.output("Y", narrow, choice, "b", "s", "h", "d")));
      operands.addAll(factors(scaling, choice, blocks));
      operands.addAll(tables(rotation, hadamard, choice));
      var reference = HeadQuantizerReference.rows(new HeadQuantizer(narrow, rotation, hadamard),
          new HeadQuantizerReference.Extents(choice.number("b"), choice.number("s"), choice.number("h"), d),
          scaling == Scaling.BLOCK ? rows : HeadQuantizerReference.WHOLE);
      return Workload.of(kernel, RowQuantizer.TARGET, RowQuantizer.grid(operands.getFirst().extents(), rows), reference,
          operands.toArray(Operand[]::new));
    }
  });

  /** The factors, and the maxima that they are made from. */
  static List<Operand> factors(Scaling scaling, Choice choice, String blocks) {
    return switch (scaling) {
      case BLOCK -> List.of(Operand.output("Factor", ElementType.F32, choice, "b", "h", blocks));
      case HEAD -> List.of(Operand.output("Factor", ElementType.F32, choice, "b", "h"),
          Operand.input("Amax", ElementType.F32, choice, "b", "h"));
      case GIVEN -> List.of(Operand.input("Factor", ElementType.F32, choice, "b", "h"));
    };
  }

  /** Angles and signs, as far as they are read. */
  static List<Operand> tables(Rotation rotation, boolean hadamard, Choice choice) {
    var tables = new ArrayList<Operand>();
    var pairs = Integer.toString(choice.number("d") / 2);
    if (rotation != Rotation.NONE) {
      tables.add(Operand.input("C", ElementType.F32, choice, "s", pairs));
      tables.add(Operand.input("T", ElementType.F32, choice, "s", pairs));
    }
    if (hadamard) tables.add(Operand.input("Signs", ElementType.F32, choice, "d"));
    return tables;
  }

  @Override
  public String name() {
    return kernel.name();
  }

  @Override
  public void trace(Scope k) {
    kernel.trace(k);
  }
}
