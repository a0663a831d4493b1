package tilewright.kernels;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;

/**
 * The arithmetic of a scale: the largest finite magnitude over 448, or 1 where that is below 2⁻¹⁰⁰. NaN and infinities
 * have the code NaN.
 */
public record E4m3Scale(Scope k, F32 maximum) {
  /** The type of codes. */
  public static final ElementType CODE = ElementType.E4M3;
  /** Types that are quantised. */
  private static final List<ElementType> SOURCES = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);

  /** @throws IllegalArgumentException naming the types that are quantised */
  public static void requireSource(ElementType source) {
    if (!SOURCES.contains(source)) {
      throw new IllegalArgumentException("no quantizer of " + source.text() + ": f32, f16 or bf16");
    }
  }

  /** The magnitude of a number; 0 where it is not finite. */
  public static F32 magnitude(Scope k, F32 value) {
    var magnitude = value.magnitude();
    return magnitude.where(magnitude.atMost(k.constant(Float.MAX_VALUE)), k.constant(0f));
  }

  /** The scale: a number is its code times this. */
  public F32 factor() {
    return k.constant(1f).where(tooSmall(), maximum.dividedBy(k.constant(HeadQuantizer.limit(CODE))));
  }

  /** The factor that numbers are multiplied by. */
  public F32 inverse() {
    return k.constant(1f).where(tooSmall(), k.constant(HeadQuantizer.limit(CODE)).dividedBy(maximum));
  }

  private Pred tooSmall() {
    return maximum.lessThan(k.constant(HeadQuantizer.LEAST));
  }

  /** Codes before they are rounded. */
  public static List<F32> codes(Scope k, List<F32> values, F32 inverse) {
    return values.stream().map(value -> value.times(inverse)
        .where(value.magnitude().atMost(k.constant(Float.MAX_VALUE)), k.constant(Float.NaN))).toList();
  }
}
