package tilewright.playground;

import java.util.Arrays;

/** A kind of picture. */
enum View {
  OFFSETS("offsets"),
  OPERATION("operation"),
  THREADS("threads"),
  BANKS("banks");

  private final String word;

  View(String word) {
    this.word = word;
  }

  /** The name in addresses and of the button. */
  String word() {
    return word;
  }

  /** The view of that name; offsets for any other. */
  static View of(String word) {
    return Arrays.stream(values()).filter(view -> view.word.equals(word)).findFirst().orElse(OFFSETS);
  }
}
