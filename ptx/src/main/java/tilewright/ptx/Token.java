package tilewright.ptx;

/**
 * One word of PTX text and where it begins.
 *
 * @param text as written; a string without its quotes, the end of the text as the empty text
 */
record Token(Kind kind, String text, int line, int column) {

  /** A name keeps its dotted suffixes ({@code ld.global.f32}); a directive is one dotted word ({@code .reg}). */
  enum Kind { NAME, DIRECTIVE, NUMBER, STRING, PUNCTUATION, END }

  boolean is(String other) {
    return kind != Kind.STRING && text.equals(other);
  }

  PtxSyntaxException unexpected(String expected) {
    return new PtxSyntaxException(line, column, kind == Kind.STRING ? "\"" + text + "\"" : text, expected);
  }
}
