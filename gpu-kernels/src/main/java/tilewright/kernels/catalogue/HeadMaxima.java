package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.HeadMaximum;
import tilewright.kernels.attention.quantization.RowQuantizer;
import tilewright.kernels.attention.quantization.RowTransform;
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
 * The largest magnitude of each head, for one factor per head.
 *
 * @param kernel what finds it
 */
record HeadMaxima(HeadMaximum kernel) implements Kernel {
  /** Rows of a CTA. */
  private static final int ROWS = 64;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "head_maximum";
    }

    @Override
    public String formula() {
      return "Amax (B,H) = largest |Hadamard(Signs · RoPE(X))| of each head (B,S,H,D)";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("b", 1), Setting.extent("s", 1024), Setting.extent("h", 8),
          Setting.extent("d", 128), Setting.types("dtype", ElementType.BF16, ElementType.F16),
          Setting.option("rope", "none", "neighbours", "half"), Setting.option("hadamard", "yes", "no"));
    }

    @Override
    public boolean supports(Choice choice) {
      return choice.text("dtype").equals("bf16") || choice.text("rope").equals("none");
    }

    @Override
    public Set<String> positive() {
      return Set.of("d");
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(1, 1, 1, 16), List.of(1, 70, 2, 96), List.of(2, 129, 3, 128));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(4, 16384, 16, 128));
    }

    @Override
    public Target target(Choice choice) {
      return RowQuantizer.TARGET;
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      var rotation = Rotation.valueOf(choice.text("rope").toUpperCase(Locale.ROOT));
      boolean hadamard = choice.text("hadamard").equals("yes");
      int d = choice.number("d");
      var kernel = new HeadMaxima(new HeadMaximum(new RowTransform(type, d, ROWS, rotation, hadamard)));
      // A launch raises what it finds: zeros before the first.
      var operands = new ArrayList<>(List.of(Operand.input("X", type, choice, "b", "s", "h", "d"),
          Operand.output("Amax", ElementType.F32, choice, "b", "h").filled(new Operand.Fill.Zeros())));
      operands.addAll(QuantizedHeads.tables(rotation, hadamard, choice));
      var reference = HeadQuantizerReference.maxima(new HeadQuantizer(ElementType.E4M3, rotation, hadamard),
          new HeadQuantizerReference.Extents(choice.number("b"), choice.number("s"), choice.number("h"), d));
      return Workload.of(kernel, RowQuantizer.TARGET, RowQuantizer.grid(operands.getFirst().extents(), ROWS), reference,
          operands.toArray(Operand[]::new));
    }
  });

  @Override
  public String name() {
    return kernel.name();
  }

  @Override
  public void trace(Scope k) {
    kernel.trace(k);
  }
}
