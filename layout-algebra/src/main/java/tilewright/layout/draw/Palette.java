package tilewright.layout.draw;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Colours that people tell apart with normal colour vision and without red or green cones: the hues of Okabe and Ito
 * (Color Universal Design, 2008) and a dark grey for their black, each in four tints.
 */
public final class Palette {
  /** Distinct colours; larger numbers begin again. */
  public static final int COLOURS = 32;

  private static final int HUES = 8;
  private static final List<Integer> OKABE_ITO =
      List.of(0x56B4E9, 0xE69F00, 0x009E73, 0xF0E442, 0x0072B2, 0xD55E00, 0xCC79A7, 0x333333);
  /** The parts that keep the least distance of any two colours largest. */
  private static final List<Tint> TINTS = List.of(new Tint(25, 0), new Tint(0, 50), new Tint(0, 0), new Tint(45, 0));
  private static final int INK = 0x14171A;
  private static final int PAPER = 0xFFFFFF;

  private Palette() {}

  /** Parts of white and black in a hundred. */
  private record Tint(int white, int black) {
    int of(int channel) {
      return (channel * (100 - white - black) + 0xFF * white) / 100;
    }
  }

  /** Number {@code index}: hues first, then tints. */
  public static int colour(long index) {
    var place = Math.floorMod(index, (long) COLOURS);
    return mixed(OKABE_ITO.get((int) (place % HUES)), TINTS.get((int) (place / HUES)));
  }

  /** The number of a colour whose neighbours share a hue in groups of four, as the banks of 16 bytes do. */
  static long grouped(long index) {
    var place = Math.floorMod(index, (long) COLOURS);
    return place / TINTS.size() + HUES * (place % TINTS.size());
  }

  private static int mixed(int rgb, Tint tint) {
    return tint.of(rgb >> 16) << 16 | tint.of(rgb >> 8 & 0xFF) << 8 | tint.of(rgb & 0xFF);
  }

  /** Dark or white, whichever is easier to read on a colour. */
  public static int textOn(int colour) {
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
  public static String hex(int colour) {
    var digits = Integer.toHexString(colour).toUpperCase();
    return "0".repeat(6 - digits.length()) + digits;
  }
}
