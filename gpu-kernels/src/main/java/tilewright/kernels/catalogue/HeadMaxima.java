package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.quantization.HeadMaximum;
import tilewright.kernels.attention.quantization.RowTransform;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.HeadQuantizerReference;

/**
 * The largest magnitude of each head, for one factor per head.
 *
 * @param kernel what finds it
 */
record HeadMaxima(HeadMaximum kernel) implements Kernel {
  /** Rows of a CTA. */
  private static final int ROWS = 64;

  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new HeadFamily(capability, "head_maximum",
        "Amax (B,H) = largest |Hadamard(Signs · RoPE(X))| of each head (B,S,H,D)", HeadFamily.TRANSFORM) {
      @Override
      public boolean supports(Choice choice) {
        return choice.text("dtype").equals("bf16") || choice.text("rope").equals("none");
      }

      @Override
      public List<List<Integer>> awkward() {
        return List.of(List.of(1, 1, 1, 16), List.of(1, 70, 2, 96), List.of(2, 129, 3, 128));
      }

      @Override
      public List<List<Integer>> measured() {
        return List.of(super.measured().getFirst());
      }

      @Override
      public Workload workload(Choice choice) {
        var rotation = rotation(choice);
        boolean hadamard = hadamard(choice);
        var kernel = new HeadMaxima(new HeadMaximum(new RowTransform(choice.type("dtype"), choice.number("d"), ROWS,
            rotation, hadamard)));
        // A launch raises what it finds: zeros before the first.
        var maxima = Operand.output("Amax", ElementType.F32, choice, "b", "h").filled(new Operand.Fill.Zeros());
        var quantizer = new HeadQuantizer(ElementType.E4M3, rotation, hadamard);
        return workload(choice, kernel, ROWS, HeadQuantizerReference.maxima(quantizer, extents(choice)), maxima,
            tables(choice));
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
