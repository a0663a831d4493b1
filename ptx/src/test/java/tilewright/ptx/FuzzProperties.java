package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Damaged text is read or refused, but never breaks the parser. */
class FuzzProperties {
  private static final List<String> PIECES = List.of("{", "}", "[", "]", "(", ")", "<", ">", ";", ",", ":", "::", ".",
      "@", "!", "|", "+", "-", "=", "%", "_", "\"", "\\", "/*", "*/", "//", "\n", " ", "0x", "0f", "0d", "9", "1e9",
      "99999999999", ".reg", ".b32", ".param", ".align", ".loc", ".entry", ".func", ".section", ".branchtargets", "r1",
      "%tid.x", "é", "\0");

  @Property(tries = 4000)
  void damagedTextIsParsedOrRefusedAtAPlaceInIt(@ForAll @IntRange(max = 11) int fixture, @ForAll long seed) {
    var random = new Random(seed);
    var text = new StringBuilder(excerpt(Fixtures.text(Fixtures.NAMES.get(fixture)), random));
    for (int edits = 1 + random.nextInt(4); edits > 0; edits--) damage(text, random);
    try {
      var module = PtxParser.parse(text.toString());
      assertEquals(module, PtxParser.parse(PtxPrinter.print(module)));
      PtxCheck.check(module);
    } catch (PtxSyntaxException e) {
      assertPlaced(e, text.toString());
    }
  }

  /** The head and some lines: damage is spread over little text, so that most of it is reached. */
  private static String excerpt(String text, Random random) {
    if (random.nextBoolean()) return text;
    int cut = Math.max(text.indexOf(".address_size"), random.nextInt(text.length()));
    return text.substring(0, cut);
  }

  private static void damage(StringBuilder text, Random random) {
    int at = random.nextInt(text.length() + 1);
    int end = Math.min(text.length(), at + random.nextInt(12));
    switch (random.nextInt(4)) {
      case 0 -> text.delete(at, end);
      case 1 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
      case 2 -> text.replace(at, end, PIECES.get(random.nextInt(PIECES.size())));
      default -> text.insert(random.nextInt(text.length() + 1), text.substring(at, end));
    }
  }

  private static void assertPlaced(PtxSyntaxException error, String text) {
    var lines = text.split("\n", -1);
    assertTrue(error.line() >= 1 && error.line() <= lines.length, error::getMessage);
    String line = lines[error.line() - 1];
    assertTrue(error.column() >= 1 && error.column() <= line.length() + 1, error::getMessage);
    // a string is shown without its escapes
    String shown = error.offending().startsWith("\"") ? "\"" : error.offending();
    assertTrue(line.startsWith(shown, error.column() - 1), error::getMessage);
  }
}
