package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.RowQuantizer;
import tilewright.kernels.attention.quantization.Scaling;
import tilewright.kernels.attention.quantization.TransposedQuantizer;
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
 * Quantises the heads of V for attention, and lays their keys side by side.
 *
 * @param kernel what does it
 */
record TransposedHeads(TransposedQuantizer kernel) implements Kernel {
  /** Keys of a CTA where no block of keys has a factor of its own. */
  private static final int USUAL_KEYS = 128;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "quantize_transposed";
    }

    @Override
    public String formula() {
      return "Y (B,H,D,L) · Factor ≈ X (B,S,H,D), 8 bits, keys contiguous, a factor per block of keys or head";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("b", 1), Setting.extent("s", 1024), Setting.extent("h", 8),
          Setting.extent("d", 128), Setting.types("dtype", ElementType.BF16, ElementType.F16),
          Setting.types("narrow", ElementType.E4M3, ElementType.E5M2),
          Setting.option("factor", "block", "head", "given"),
          Setting.option("keys", "128", "64"));
    }

    /** Each option beside the defaults of the others. */
    @Override
    public boolean supports(Choice choice) {
      return settings().stream().filter(Setting::option)
          .filter(s -> !choice.text(s.name()).equals(s.values().getFirst())).count() <= 1;
    }

    @Override
    public Set<String> positive() {
      return Set.of("d");
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(1, 1, 1, 8), List.of(1, 130, 1, 64), List.of(1, 16, 2, 256), List.of(2, 100, 1, 192),
          List.of(1, 257, 1, 80), List.of(1, 200, 2, 96), List.of(2, 129, 3, 128));
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
      var narrow = choice.type("narrow");
      var scaling = Scaling.valueOf(choice.text("factor").toUpperCase(Locale.ROOT));
      int keys = scaling == Scaling.BLOCK ? choice.number("keys") : USUAL_KEYS;
      int s = choice.number("s");
      var kernel = new TransposedHeads(new TransposedQuantizer(choice.type("dtype"), narrow, choice.number("d"), keys,
          scaling));
      var blocks = Integer.toString(Math.max(1, Math.ceilDiv(s, keys)));
      var operands = new ArrayList<>(List.of(Operand.input("X", choice.type("dtype"), choice, "b", "s", "h", "d"),
          Operand.output("Y", narrow, choice, "b", "h", "d", Long.toString(TransposedQuantizer.paddedKeys(s)))));
      operands.addAll(QuantizedHeads.factors(scaling, choice, blocks));
      var reference = HeadQuantizerReference.transposed(new HeadQuantizer(narrow, Rotation.NONE, false),
          new HeadQuantizerReference.Extents(choice.number("b"), s, choice.number("h"), choice.number("d")),
          scaling == Scaling.BLOCK ? keys : HeadQuantizerReference.WHOLE, TransposedQuantizer.paddedKeys(s));
      return Workload.of(kernel, RowQuantizer.TARGET, RowQuantizer.grid(operands.getFirst().extents(), keys), reference,
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
