package tilewright.simulator.compiler.code;

import tilewright.ptx.PtxPrinter;
import tilewright.ptx.Variable;
import tilewright.simulator.UnsupportedPtxException.Problem;

/** The reason why one statement cannot be executed; the loader collects them. */
public final class Unsupported extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int line;
  private final String text;

  /** About the instruction that is being lowered, or the kernel as a whole. */
  public Unsupported(String reason) {
    this(reason, 0, "");
  }

  private Unsupported(String reason, int line, String text) {
    super(reason, null, false, false);
    this.line = line;
    this.text = text;
  }

  /** About a variable, wherever it is found out. */
  public static Unsupported of(Variable variable, String reason) {
    return new Unsupported(reason, variable.line(), PtxPrinter.print(variable));
  }

  /** The problem at its own place; at the given one, if it has none. */
  public Problem problem(int elseLine, String elseText) {
    return text.isEmpty() ? new Problem(elseLine, elseText, getMessage()) : new Problem(line, text, getMessage());
  }
}
