package tilewright.layout.syntax;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What recurses on a tree needs it shallow: each limit holds exactly. */
class ParserLimitsTest {

  @Test
  void bracketsNest64Deep() {
    var closed = "(".repeat(64) + "4" + ")".repeat(64);
    assertDoesNotThrow(() -> Parser.parse(closed));
    assertRefused("(" + closed + ")", 64, "at most 64 nested brackets");
    assertRefused("f([".repeat(40), 97, "at most 64 nested brackets");
  }

  @Test
  void bracketsSideBySideDoNotCount() {
    assertDoesNotThrow(() -> Parser.parse("((4),(2)," + "(1),".repeat(200) + "[3])"));
  }

  @Test
  void compositionsChain64Long() {
    assertDoesNotThrow(() -> Parser.parse("4" + "∘4".repeat(64)));
    assertRefused("4" + "∘4".repeat(65), 129, "at most 64 compositions in a row");
  }

  @Test
  void coordinatesChain64Long() {
    assertDoesNotThrow(() -> Parser.parse("4" + "(1)".repeat(64)));
    assertRefused("4" + "(1)".repeat(65), 193, "at most 64 coordinates in a row");
  }

  @Test
  void textsHaveAtMost65536Characters() {
    var text = "4" + " ".repeat(65_535);
    assertEquals(new Node.Number(4, 0), Parser.parse(text));
    assertRefused(text + " ", 65_536, "at most 65536 characters");
  }

  private static void assertRefused(String text, int position, String message) {
    var e = assertThrows(LayoutSyntaxException.class, () -> Parser.parse(text));
    assertEquals(position, e.position(), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
