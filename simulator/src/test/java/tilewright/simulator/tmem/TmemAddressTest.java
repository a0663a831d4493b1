package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TmemAddressTest {
  @Test
  void theLaneIsInTheUpperHalf() {
    assertEquals(new TmemAddress(96, 511), TmemAddress.of(0x006001FF));
    assertEquals(0x006001FF, new TmemAddress(96, 511).bits());
  }

  @Test
  void selectorsAreNoPartOfThePlace() {
    assertEquals(new TmemAddress(32, 4), TmemAddress.withoutSelector(0xC0200004));
  }

  @Test
  void placesOutsideAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> TmemAddress.of(0x00800000));
    assertThrows(IllegalArgumentException.class, () -> TmemAddress.of(0x00000200));
    assertThrows(IllegalArgumentException.class, () -> TmemAddress.of(0xC0200004));
  }
}
