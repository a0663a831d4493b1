package tilewright.layout.bank;

/** The bytes of an element, in which offsets become addresses. */
final class ElementBytes {
  private ElementBytes() {}

  static int check(int bytes) {
    if (bytes < 1) throw new IllegalArgumentException("an element of " + bytes + " bytes is none: give 1 or more");
    return bytes;
  }
}
