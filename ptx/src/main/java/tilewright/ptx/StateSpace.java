package tilewright.ptx;

/** The memory in which a variable lives (PTX ISA, State Spaces). */
public enum StateSpace {
  REG, CONST, GLOBAL, LOCAL, PARAM, SHARED;

  /** The directive without its dot, such as {@code shared}. */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
