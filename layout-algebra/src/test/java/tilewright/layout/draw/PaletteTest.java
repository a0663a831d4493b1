package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaletteTest {
  private static List<String> colours() {
    return LongStream.range(0, Palette.COLOURS).mapToObj(i -> Palette.hex(Palette.colour(i))).toList();
  }

  /** The colours of Okabe and Ito in the order of this palette, with a dark grey for black, as red, green and blue. */
  @Test
  void theFullHuesAreThoseOfColourUniversalDesign() {
    var published = List.of("86 180 233", "230 159 0", "0 158 115", "240 228 66", "0 114 178", "213 94 0",
        "204 121 167", "51 51 51");
    for (int hue = 0; hue < 8; hue++) {
      var colour = Palette.colour(16 + hue);
      assertEquals(published.get(hue), (colour >> 16) + " " + (colour >> 8 & 0xFF) + " " + (colour & 0xFF));
    }
  }

  /** Mixing takes each channel the same part of the way to 255, or to 0. */
  @Test
  void tintsLieBetweenTheirHueAndWhiteOrBlack() {
    var way = new double[] {0.25, 0.5, 0, 0.45};
    var end = new int[] {255, 0, 255, 255};
    for (int i = 0; i < 32; i++) {
      for (int shift = 0; shift < 24; shift += 8) {
        var hue = Palette.colour(16 + i % 8) >> shift & 0xFF;
        var mixed = hue + (end[i / 8] - hue) * way[i / 8];
        assertEquals(mixed, Palette.colour(i) >> shift & 0xFF, 1, "colour " + i);
      }
    }
  }

  @Test
  void labelsCanBeReadOnEveryColour() {
    for (int i = 0; i < 32; i++) {
      var colour = Palette.colour(i);
      var contrast = Wcag.contrast(Palette.hex(colour), Palette.hex(Palette.textOn(colour)));
      assertTrue(contrast >= 4.5, Palette.hex(colour) + ": " + contrast);
    }
  }

  @ParameterizedTest
  @CsvSource({"000000,FFFFFF", "0A0A0A,000000", "0B0B0B,000000", "7F3311,00FF80", "123456,FEDCBA"})
  void contrastIsThatOfTheStandard(String one, String other) {
    var a = Integer.parseInt(one, 16);
    var b = Integer.parseInt(other, 16);
    assertEquals(Wcag.contrast(one, other), Palette.contrast(a, b), 1e-12);
    assertEquals(Wcag.contrast(one, other), Palette.contrast(b, a), 1e-12);
  }

  @Test
  void coloursAreThirtyTwoAndThenBeginAgain() {
    assertEquals(32, new HashSet<>(colours()).size());
    for (int i = 0; i < 32; i++) {
      assertEquals(Palette.colour(i), Palette.colour(i + 32));
      assertEquals(Palette.colour(i), Palette.colour(i - 32));
    }
  }

  /** Sixteen bytes are four banks. */
  @Test
  void groupsOfFourShareAHueAndNoTwoHaveOneColour() {
    for (int i = 0; i < 64; i++) assertEquals(i / 4 % 8, Palette.grouped(i) % 8);
    assertEquals(LongStream.range(0, 32).boxed().toList(),
        IntStream.range(0, 32).mapToObj(Palette::grouped).sorted().toList());
  }

  @Test
  void digitsAreSix() {
    assertEquals("00000A", Palette.hex(10));
    assertEquals("FFFFFF", Palette.hex((1 << 24) - 1));
  }
}
