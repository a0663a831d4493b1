package tilewright.kernels.catalogue;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.Scaling;
import tilewright.kernels.attention.quantization.TransposedQuantizer;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
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
  private static final List<Setting> OPTIONS = Stream.concat(HeadFamily.CODES.stream(),
      Stream.of(Setting.option("keys", "128", "64"))).toList();

  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new HeadFamily(capability, "quantize_transposed",
        "Y (B,H,D,L) · Factor ≈ X (B,S,H,D), 8 bits, keys contiguous, a factor per block of keys or head", OPTIONS) {
      /** Each option beside the defaults of the others. */
      @Override
      public boolean supports(Choice choice) {
        return settings().stream().filter(Setting::option)
            .filter(s -> !choice.text(s.name()).equals(s.values().getFirst())).count() <= 1;
      }

      @Override
      public List<List<Integer>> awkward() {
        return List.of(List.of(1, 1, 1, 8), List.of(1, 130, 1, 64), List.of(1, 16, 2, 256), List.of(2, 100, 1, 192),
            List.of(1, 257, 1, 80), List.of(1, 200, 2, 96), List.of(2, 129, 3, 128));
      }

      @Override
      public Workload workload(Choice choice) {
        var narrow = choice.type("narrow");
        int keys = scaling(choice) == Scaling.BLOCK ? choice.number("keys") : USUAL_KEYS;
        long padded = TransposedQuantizer.paddedKeys(choice.number("s"));
        var kernel = new TransposedHeads(new TransposedQuantizer(choice.type("dtype"), narrow, choice.number("d"), keys,
            scaling(choice)));
        var reference = HeadQuantizerReference.transposed(new HeadQuantizer(narrow, Rotation.NONE, false),
            extents(choice), rowsOfFactor(choice, keys), padded);
        return workload(choice, kernel, keys, reference,
            Operand.output("Y", narrow, choice, "b", "h", "d", Long.toString(padded)), factors(choice, keys));
      }

      @Override
      public Family on(int other) {
        return family(other);
      }
    };
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
