package tilewright.simulator.tmem;

import java.util.Arrays;
import java.util.Optional;

/** The {@code .kind} of a {@code tcgen05.mma} (PTX ISA, Matrix Shape). */
public enum MmaKind {
  F16("f16", 16, 16, false),
  TF32("tf32", 8, 32, false),
  F8F6F4("f8f6f4", 32, 8, false),
  I8("i8", 32, 8, false),
  MXF8F6F4("mxf8f6f4", 32, 8, true),
  MXF4("mxf4", 64, 4, true),
  MXF4NVF4("mxf4nvf4", 64, 4, true);

  private final String text;
  private final int depth;
  private final int container;
  private final boolean scaled;

  MmaKind(String text, int depth, int container, boolean scaled) {
    this.text = text;
    this.depth = depth;
    this.container = container;
    this.scaled = scaled;
  }

  public static Optional<MmaKind> parse(String text) {
    return Arrays.stream(values()).filter(k -> k.text.equals(text)).findFirst();
  }

  public String text() {
    return text;
  }

  /** K of a multiplication; twice as much when A is sparse. */
  public int depth(boolean sparse) {
    return sparse ? 2 * depth : depth;
  }

  /** Bits that one element takes in memory, padding included. */
  public int containerBits() {
    return container;
  }

  /** Whether both factors have block scales. */
  public boolean scaled() {
    return scaled;
  }

  /**
   * Checks a shape.
   *
   * @throws IllegalArgumentException naming the rule that it breaks
   */
  void requireShape(int m, int n, int ctas, boolean weightStationary, boolean sparse) {
    if (!allowsRows(m, ctas, weightStationary, sparse)) {
      throw new IllegalArgumentException("M = " + m + " does not exist for " + form(ctas, weightStationary, sparse)
          + ": use " + rows(ctas, weightStationary, sparse));
    }
    if (!allowsColumns(n, ctas, weightStationary, sparse)) {
      throw new IllegalArgumentException("N = " + n + " does not exist for " + form(ctas, weightStationary, sparse)
          + ": use " + columns(ctas, weightStationary, sparse));
    }
  }

  private String form(int ctas, boolean weightStationary, boolean sparse) {
    return "kind::" + text + " with cta_group::" + ctas + (weightStationary ? ".ws" : "") + (sparse ? ".sp" : "");
  }

  private boolean allowsRows(int m, int ctas, boolean weightStationary, boolean sparse) {
    if (weightStationary) return m == 32 || m == 64 || m == 128;
    if (ctas == 2) return m == 256 || m == 128 && !(scaled && sparse);
    return m == 128 || m == 64 && !scaled;
  }

  private String rows(int ctas, boolean weightStationary, boolean sparse) {
    if (weightStationary) return "32, 64 or 128";
    if (ctas == 2) return scaled && sparse ? "256" : "128 or 256";
    return scaled ? "128" : "64 or 128";
  }

  private boolean allowsColumns(int n, int ctas, boolean weightStationary, boolean sparse) {
    if (weightStationary) return n == 64 || n == 128 || n == 256 && !sparse;
    if (n < 8 || n > 256) return false;
    if (this == I8) return ctas == 2 ? n % 32 == 0 : n % 16 == 0 || n == 8 || n == 24;
    return n % (8 * ctas) == 0;
  }

  private String columns(int ctas, boolean weightStationary, boolean sparse) {
    if (weightStationary) return sparse ? "64 or 128" : "64, 128 or 256";
    if (this == I8) return ctas == 2 ? "a multiple of 32 up to 256" : "8, 24 or a multiple of 16 up to 256";
    return "a multiple of " + 8 * ctas + " up to 256";
  }
}
