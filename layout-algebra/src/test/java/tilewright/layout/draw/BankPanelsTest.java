package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;

class BankPanelsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16})
  void banksAreFourBytesEachAndThirtyTwo(int elementBytes) {
    var panel = Pictures.banks(Layout.parse("(4,64):(64,1)"), elementBytes).panels().getFirst();
    for (var cell : panel.cells()) {
      var at = (cell.row() * 64 + cell.column()) * elementBytes;
      var bank = at / 4 % 32;
      assertEquals("" + bank, cell.label());
      assertEquals(bank / 4, cell.colour() % 8, "16 bytes share a hue");
      assertEquals("offset " + at / elementBytes + ", byte " + at + ", bank " + bank, cell.hover().split(": ")[1]);
    }
    assertEquals("32 banks of 4 bytes; an element has " + elementBytes, panel.note());
  }

  @Test
  void anElementOfNoBytesIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Pictures.banks(Layout.parse("4:1"), 0));
  }
}
