package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BankGeometryTest {

  @ParameterizedTest
  @ValueSource(ints = {0, -1, -8, 3, 12, Integer.MIN_VALUE})
  void banksAndBytesOfWordsArePowersOfTwo(int invalid) {
    assertThrows(IllegalArgumentException.class, () -> new BankGeometry(invalid, 4));
    assertThrows(IllegalArgumentException.class, () -> new BankGeometry(32, invalid));
  }

  @Test
  void oneBankOfOneByteIsTheLeast() {
    var least = new BankGeometry(1, 1);
    assertEquals(0, least.bank(77));
    assertEquals(77, least.word(77));
  }

  /** Words go round the banks; below address 0, too. */
  @ParameterizedTest
  @CsvSource({"0,0,0", "3,0,0", "4,1,1", "127,31,31", "128,32,0", "-1,-1,31", "-5,-2,30"})
  void wordsGoRoundTheBanks(long address, long word, int bank) {
    assertEquals(word, BankGeometry.SHARED_MEMORY.word(address));
    assertEquals(bank, BankGeometry.SHARED_MEMORY.bank(address));
  }

  /** One phase gives each bank's word once: 128 bytes, and not more lanes than a warp has. */
  @ParameterizedTest
  @CsvSource({"1,32", "2,32", "4,32", "8,16", "16,8"})
  void aPhaseServesLanesOf128BytesTogether(int bytes, int lanes) {
    assertEquals(lanes, BankGeometry.SHARED_MEMORY.lanesPerPhase(bytes));
  }

  @Test
  void aPhaseServesOneLaneAtLeast() {
    assertEquals(1, new BankGeometry(2, 4).lanesPerPhase(16));
  }
}
