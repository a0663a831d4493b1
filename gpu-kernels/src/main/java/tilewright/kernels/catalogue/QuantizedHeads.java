package tilewright.kernels.catalogue;

import java.util.List;
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
  private static final List<Setting> OPTIONS = Stream.of(HeadFamily.CODES, HeadFamily.TRANSFORM,
      List.of(Setting.option("rows", "128", "64"))).flatMap(List::stream).toList();

  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new HeadFamily(capability, "quantize_heads",
        "Y · Factor ≈ Hadamard(Signs · RoPE(X)), 8 bits, a factor per block of rows or head (B,S,H,D)", OPTIONS) {
      /** Each option beside the defaults of the others, and every rotation with and without the transform. */
      @Override
      public boolean supports(Choice choice) {
        var plain = defaults();
        long others = Stream.of("dtype", "narrow", "factor", "rows")
            .filter(name -> !choice.text(name).equals(plain.text(name))).count();
        boolean transformed = rotation(choice) == Rotation.NONE && hadamard(choice);
        return others == 0 || others == 1 && transformed;
      }

      @Override
      public List<List<Integer>> awkward() {
        return List.of(List.of(1, 1, 1, 16), List.of(1, 130, 1, 64), List.of(1, 128, 2, 256), List.of(2, 100, 1, 192),
            List.of(1, 65, 1, 80), List.of(1, 200, 2, 96), List.of(2, 129, 3, 128));
      }

      @Override
      public Workload workload(Choice choice) {
        var narrow = choice.type("narrow");
        var rotation = rotation(choice);
        boolean hadamard = hadamard(choice);
        int rows = scaling(choice) == Scaling.BLOCK ? choice.number("rows") : LEAST_ROWS;
        var transform = new RowTransform(choice.type("dtype"), choice.number("d"), rows, rotation, hadamard);
        var kernel = new QuantizedHeads(new RowQuantizer(transform, narrow, scaling(choice)));
        var reference = HeadQuantizerReference.rows(new HeadQuantizer(narrow, rotation, hadamard), extents(choice),
            rowsOfFactor(choice, rows));
        return workload(choice, kernel, rows, reference, Operand.output("Y", narrow, choice, "b", "s", "h", "d"),
            Stream.concat(factors(choice, rows).stream(), tables(choice).stream()).toList());
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
