package tilewright.simulator.core;

import java.util.regex.Pattern;
import tilewright.ptx.Instruction;

/**
 * Where an instruction stands.
 *
 * @param line of the PTX text
 * @param text the instruction, with long lists of registers cut short
 * @param source {@code File.java:12}, or the empty text
 * @param order how it takes part in synchronisation
 * @param kind for the profile
 * @param carried whether what it reads goes into an exchange among the lanes of a warp
 */
public record Site(int line, String text, String source, MemoryOrder order, InstructionClass kind, boolean carried) {
  /** More than eight registers in braces: the first two and the last say enough. */
  private static final Pattern LONG_LIST =
      Pattern.compile("\\{([^{},]+), *([^{},]+)(?:,[^{},]+){6,},\\s*([^{},]+)}");

  private static final Pattern ADDITION = Pattern.compile("(@\\S+\\s+)?red\\.(\\S*\\.)?add\\.[us](32|64)\\b");

  /** The site of findings that no instruction is to blame for. */
  public static final Site NOWHERE = new Site(0, "", "", MemoryOrder.WEAK, InstructionClass.CONTROL, false);

  public static Site of(Instruction i, String text, String source) {
    var shortened = LONG_LIST.matcher(text.replaceFirst(";\\s*$", "")).replaceAll("{$1, $2, …, $3}");
    return new Site(i.line(), shortened, source, MemoryOrder.of(i), InstructionClass.of(i), false);
  }

  /** The line of the source, or of the PTX where no source is known. */
  public String place() {
    return source.isEmpty() ? "line " + line : source;
  }

  /** The line of the source, if it is known, and that of the PTX. */
  public String where() {
    return source.isEmpty() || line == 0 ? place() : source + " (PTX line " + line + ")";
  }

  /** Whether it adds an integer and does not look at what was there: in any order such additions give the same. */
  public boolean addsUnseen() {
    return ADDITION.matcher(text).lookingAt();
  }

  boolean isJava() {
    return source.contains(".java:");
  }

  /** Says that what it reads goes into an exchange. */
  public Site asCarried() {
    return new Site(line, text, source, order, kind, true);
  }

  /** Whether it lets an asynchronous operation read shared memory. */
  public boolean readsAsynchronously() {
    return text.contains("wgmma.mma") || text.contains("tcgen05.")
        || text.contains("cp.") && text.contains(".bulk") && text.contains("shared::cta");
  }

  /** The end of a kernel, which has no instruction of its own in the text. */
  public static Site end(String kernel) {
    return new Site(0, "end of " + kernel, "", MemoryOrder.WEAK, InstructionClass.CONTROL, false);
  }
}
