package tilewright.layout.draw;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Colours that people with any colour vision tell apart: the eight hues of Okabe and Ito (Color Universal Design,
 * 2008), each in four tints.
 */
final class Palette {
  /** Distinct colours; larger numbers begin again. */
  static final int COLOURS = 32;

  private static final int HUES = 8;
  private static final int TINTS = 4;
  private static final List<Integer> OKABE_ITO =
      List.of(0x56B4E9, 0xE69F00, 0x009E73, 0xF0E442, 0x0072B2, 0xD55E00, 0xCC79A7, 0x999999);
  /** Parts of white in a hundred. Neighbouring tints differ by more than neighbouring hues are alike. */
  private static final List<Integer> WHITE = List.of(35, 70, 0, 85);
  private static final int INK = 0x14171A;
  private static final int PAPER = 0xFFFFFF;

  private Palette() {}

  /** Number {@code index}: hues first, then tints. */
  static int colour(long index) {
    var place = Math.floorMod(index, (long) COLOURS);
    return tint((int) (place % HUES), (int) (place / HUES));
  }

  /** The number of a colour whose neighbours share a hue in groups of four, as the banks of 16 bytes do. */
  static long grouped(long index) {
    var place = Math.floorMod(index, (long) COLOURS);
    return place / TINTS + HUES * (place % TINTS);
  }

  private static int tint(int hue, int level) {
    var rgb = OKABE_ITO.get(hue);
    var white = WHITE.get(level);
    var mixed = 0;
    for (var shift = 16; shift >= 0; shift -= 8) {
      mixed |= ((rgb >> shift & 0xFF) * (100 - white) + 0xFF * white) / 100 << shift;
    }
    return mixed;
  }

  /** Dark or white, whichever is easier to read on a colour. */
  static int textOn(int colour) {
    return Collections.max(List.of(INK, PAPER), Comparator.comparingDouble(text -> contrast(text, colour)));
  }

  /** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
  static double contrast(int one, int other) {
    var a = luminance(one);
    var b = luminance(other);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  private static double luminance(int rgb) {
    return 0.2126 * linear(rgb >> 16 & 0xFF) + 0.7152 * linear(rgb >> 8 & 0xFF) + 0.0722 * linear(rgb & 0xFF);
  }

  private static double linear(int channel) {
    var value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
  }

  /** Six hexadecimal digits, as CSS and LaTeX take them. */
  static String hex(int colour) {
    var digits = Integer.toHexString(colour).toUpperCase();
    return "0".repeat(6 - digits.length()) + digits;
  }
}
