package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Distances of the colours as people with and without red and green cones see them. */
class ColourVisionTest {
  /** In CIE L*a*b* (1976); a distance of about 2.3 is just noticeable. */
  private static final double TOLD_APART = 7;

  /** Linear RGB to linear RGB: Viénot, Brettel and Mollon, Digital video colourmaps, 1999. */
  enum Vision {
    NORMAL(1, 0, 0, 0, 1, 0, 0, 0, 1),
    WITHOUT_RED_CONES(0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1),
    WITHOUT_GREEN_CONES(0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1);

    private final double[] matrix;

    Vision(double... matrix) {
      this.matrix = matrix;
    }
  }

  /** sRGB's linear red, green and blue to X, Y and Z in units of its white (IEC 61966-2-1). */
  private static final double[] TO_XYZ = {0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047, 0.2126729,
      0.7151522, 0.0721750, 0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883};

  private static double[] times(double[] matrix, double[] vector) {
    var product = new double[3];
    for (int i = 0; i < 9; i++) product[i / 3] += matrix[i] * vector[i % 3];
    return product;
  }

  private static double[] lab(String colour, Vision vision) {
    var seen = times(vision.matrix, Wcag.linear(colour));
    for (int i = 0; i < 3; i++) seen[i] = Math.clamp(seen[i], 0, 1);
    var xyz = times(TO_XYZ, seen);
    for (int i = 0; i < 3; i++) {
      xyz[i] = xyz[i] > 216.0 / 24389 ? Math.cbrt(xyz[i]) : (24389.0 / 27 * xyz[i] + 16) / 116;
    }
    return new double[] {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
  }

  @ParameterizedTest
  @EnumSource
  void noTwoColoursLookAlike(Vision vision) {
    var colours = LongStream.range(0, Palette.COLOURS).mapToObj(i -> Palette.hex(Palette.colour(i))).toList();
    for (var one : colours) {
      for (var other : colours.subList(0, colours.indexOf(one))) {
        assertTrue(distance(lab(one, vision), lab(other, vision)) >= TOLD_APART, List.of(one, other).toString());
      }
    }
  }

  private static double distance(double[] one, double[] other) {
    return Math.hypot(Math.hypot(one[0] - other[0], one[1] - other[1]), one[2] - other[2]);
  }
}
