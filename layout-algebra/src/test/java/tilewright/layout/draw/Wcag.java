package tilewright.layout.draw;

/** The contrast ratio of WCAG 2.2, from its definition, of colours such as {@code #1C2024} or {@code fff}. */
final class Wcag {
  private Wcag() {}

  static double contrast(String one, String other) {
    var lighter = Math.max(luminance(one), luminance(other));
    var darker = Math.min(luminance(one), luminance(other));
    return (lighter + 0.05) / (darker + 0.05);
  }

  private static double luminance(String colour) {
    var rgb = linear(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  }

  /** Red, green and blue of sRGB in units of light. */
  static double[] linear(String colour) {
    var digits = colour.replace("#", "");
    if (digits.length() == 3) digits = digits.replaceAll("(.)", "$1$1");
    var rgb = new double[3];
    for (int i = 0; i < 3; i++) {
      var value = Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16) / 255.0;
      rgb[i] = value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }
    return rgb;
  }
}
