package tilewright.playground;

import java.util.Arrays;
import tilewright.layout.Dialect;

/** A dialect of CuTe as the command line names it. */
enum Spelling {
  CUTE_CPP("cute-cpp", Dialect.CUTE_CPP),
  CUTE_DSL("cute-dsl", Dialect.CUTE_DSL),
  PYCUTE("pycute", Dialect.PYCUTE);

  private final String word;
  private final Dialect dialect;

  Spelling(String word, Dialect dialect) {
    this.word = word;
    this.dialect = dialect;
  }

  String word() {
    return word;
  }

  Dialect dialect() {
    return dialect;
  }

  /** The dialect of that name; CuTe C++ for any other. */
  static Spelling of(String word) {
    return Arrays.stream(values()).filter(spelling -> spelling.word.equals(word)).findFirst().orElse(CUTE_CPP);
  }
}
