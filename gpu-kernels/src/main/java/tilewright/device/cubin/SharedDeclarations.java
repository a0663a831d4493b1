package tilewright.device.cubin;

import java.util.regex.Pattern;

/**
 * Which shared memory a PTX text declares (PTX ISA, State Spaces: shared).
 *
 * @param fixed whether some has a size of its own
 * @param dynamic whether some is sized by the launch, with an alignment
 */
record SharedDeclarations(boolean fixed, boolean dynamic) {
  private static final Pattern COMMENTS = Pattern.compile("//.*|(?s:/\\*.*?\\*/)");
  private static final Pattern DYNAMIC = Pattern.compile("\\.extern\\s+\\.shared\\s+\\.align\\b");
  /** Instructions say {@code ld.shared}, parameters {@code .ptr .shared}. */
  private static final Pattern FIXED = Pattern.compile("(?<![\\w.])(?<!\\.extern\\s)(?<!\\.ptr\\s)\\.shared\\s");

  static SharedDeclarations of(String ptx) {
    var code = COMMENTS.matcher(ptx).replaceAll(" ").replaceAll("\\s+", " ");
    return new SharedDeclarations(FIXED.matcher(code).find(), DYNAMIC.matcher(code).find());
  }

  boolean mixed() {
    return fixed && dynamic;
  }
}
