package tilewright.layout.syntax;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutSyntaxExceptionTest {

  @Test
  void namesTheColumnWhatIsExpectedAndWhatStandsThere() {
    assertEquals("column 3 of '(4x)': expected ')', found 'x'",
        new LayoutSyntaxException("(4x)", 2, "')'").getMessage());
    assertEquals("column 3 of '(4': expected ')', found the end",
        new LayoutSyntaxException("(4", 2, "')'").getMessage());
  }

  /** Thirty characters before and after; an ellipsis only where something is left out. */
  @Test
  void showsWhatIsAround() {
    assertEquals("column 31 of '" + "a".repeat(30) + "b" + "c".repeat(29) + "': expected d, found 'b'",
        new LayoutSyntaxException("a".repeat(30) + "b" + "c".repeat(29), 30, "d").getMessage());
    assertEquals("column 32 of '…" + "a".repeat(30) + "b" + "c".repeat(29) + "…': expected d, found 'b'",
        new LayoutSyntaxException("a".repeat(31) + "b" + "c".repeat(30), 31, "d").getMessage());
  }

  /** Controls, invisible characters, those that reverse what follows, spaces of other widths, halves of pairs. */
  @ParameterizedTest
  @CsvSource({"1f, false", "20, true", "7e, true", "7f, false", "9f, false", "a0, false", "a1, true", "ad, false",
      "2028, false", "2029, false", "202e, false", "2218, true", "3000, false", "d7a3, true", "d800, false",
      "e000, false", "feff, false", "ffff, false"})
  void whatCouldDisturbOrDeceiveStandsAsItsCode(String hex, boolean shown) {
    char c = (char) Integer.parseInt(hex, 16);
    var code = "\\u" + "0".repeat(4 - hex.length()) + hex;
    assertEquals("column 1 of '" + (shown ? c : code) + "': expected d, found '" + (shown ? c : code) + "'",
        new LayoutSyntaxException(String.valueOf(c), 0, "d").getMessage());
  }

  @Test
  void aPairOfHalvesIsOneCharacter() {
    assertEquals("column 1 of '\\ud83d\\ude00x': expected d, found '\\ud83d\\ude00'",
        new LayoutSyntaxException("\ud83d\ude00x", 0, "d").getMessage());
  }
}
