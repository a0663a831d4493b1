package tilewright.verification.cases;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ScaledFactors;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** Rows of quantized matrices as the reference takes them: element by element, and scale by scale. */
final class NarrowRows {
  private NarrowRows() {}

  static List<ScaledFactors> of(NarrowMatrix matrix) {
    return IntStream.range(0, matrix.layout().rows()).mapToObj(row -> row(matrix, row)).toList();
  }

  private static ScaledFactors row(NarrowMatrix matrix, int row) {
    var layout = matrix.layout();
    var kind = layout.format().kind();
    var elements = IntStream.range(0, layout.k()).mapToDouble(k -> matrix.element(row, k)).toArray();
    int least = leastExponent(layout.format().element());
    if (!kind.scaled()) {
      int one = Math.max(1, layout.k());
      return new ScaledFactors(elements, least, ones(Math.ceilDiv(layout.k(), one)), 0, one);
    }
    var scales = IntStream.range(0, Math.ceilDiv(layout.k(), kind.block())).mapToDouble(b -> matrix.scale(row, b))
        .toArray();
    // UE8M0 has no subnormal numbers, UE4M3 those of E4M3.
    int leastScale = kind == MmaKind.NVF4 ? leastExponent(MmaFormat.E4M3) : -127;
    return new ScaledFactors(elements, least, scales, leastScale, kind.block());
  }

  private static double[] ones(int count) {
    var ones = new double[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** The exponent of the smallest normal number (OCP Microscaling Formats 1.0, section 5.3). */
  private static int leastExponent(MmaFormat format) {
    return switch (format) {
      case E4M3 -> -6;
      case E5M2 -> -14;
      case E3M2 -> -2;
      case E2M3, E2M1 -> 0;
      default -> throw new IllegalArgumentException(format.text() + " is no float of eight bits or fewer");
    };
  }
}
