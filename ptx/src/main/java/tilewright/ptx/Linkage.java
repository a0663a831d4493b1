package tilewright.ptx;

/** The visibility of a variable or function; {@code LOCAL} writes no directive. */
public enum Linkage {
  LOCAL, VISIBLE, EXTERN, WEAK, COMMON;

  /** The directive with its dot, or the empty text. */
  public String directive() {
    return this == LOCAL ? "" : "." + name().toLowerCase(java.util.Locale.ROOT);
  }
}
