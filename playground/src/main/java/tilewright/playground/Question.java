package tilewright.playground;

import java.util.HashMap;

/**
 * All that a reader has set: what an address keeps.
 *
 * @param tile shape of the tile of a thread-value layout, in CuTe's notation; empty for one that fits
 * @param elementBytes of an element in shared memory
 * @param accessBytes that a lane accesses at once
 * @param access name of the access whose lanes the picture marks, such as {@code mode 0} or {@code ldmatrix.x4}
 */
record Question(String expression, View view, String tile, int elementBytes, int accessBytes, String access,
    Spelling spelling) {
  private static final int MOST_BYTES = 16;
  static final Question FIRST = of("Sw<3,0,3> o 0 o (8,8):(8,1)");

  static Question of(String expression) {
    return new Question(expression, View.OFFSETS, "", 2, 2, "mode 0", Spelling.CUTE_CPP);
  }

  Question withExpression(String other) {
    return new Question(other, view, tile, elementBytes, accessBytes, access, spelling);
  }

  Question in(View other) {
    return new Question(expression, other, tile, elementBytes, accessBytes, access, spelling);
  }

  Question over(String otherTile) {
    return new Question(expression, view, otherTile, elementBytes, accessBytes, access, spelling);
  }

  Question accessing(int ofElement, int atOnce, String by) {
    return new Question(expression, view, tile, ofElement, atOnce, by, spelling);
  }

  Question spelled(Spelling other) {
    return new Question(expression, view, tile, elementBytes, accessBytes, access, other);
  }

  /** The part of an address behind {@code #}; what has its usual value is left out. */
  String toFragment() {
    var usual = of(expression);
    var fragment = new StringBuilder("e=").append(Percent.encode(expression));
    append(fragment, "v", view.word(), usual.view.word());
    append(fragment, "t", tile, usual.tile);
    append(fragment, "b", "" + elementBytes, "" + usual.elementBytes);
    append(fragment, "a", "" + accessBytes, "" + usual.accessBytes);
    append(fragment, "w", access, usual.access);
    append(fragment, "d", spelling.word(), usual.spelling.word());
    return fragment.toString();
  }

  private static void append(StringBuilder fragment, String key, String value, String usual) {
    if (!value.equals(usual)) fragment.append('&').append(key).append('=').append(Percent.encode(value));
  }

  /** The question that a fragment keeps; the usual value where it keeps none or a wrong one. */
  static Question ofFragment(String fragment) {
    var kept = new HashMap<String, String>();
    for (var part : fragment.split("&")) {
      var equals = part.indexOf('=');
      if (equals > 0) kept.put(part.substring(0, equals), Percent.decode(part.substring(equals + 1)));
    }
    var usual = of(kept.getOrDefault("e", FIRST.expression));
    return new Question(usual.expression, View.of(kept.getOrDefault("v", "")), kept.getOrDefault("t", usual.tile),
        bytes(kept.get("b"), usual.elementBytes), bytes(kept.get("a"), usual.accessBytes),
        kept.getOrDefault("w", usual.access), Spelling.of(kept.getOrDefault("d", "")));
  }

  /** A power of two up to 16. */
  private static int bytes(String text, int usual) {
    for (var bytes = 1; bytes <= MOST_BYTES; bytes *= 2) if (("" + bytes).equals(text)) return bytes;
    return usual;
  }
}
