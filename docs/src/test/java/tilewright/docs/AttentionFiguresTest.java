package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AttentionFiguresTest {
  private static final int EVERYTHING = Integer.MAX_VALUE / 2;

  /** Queries 128·r to 128·r + 127 have positions from 128·(r + 1) on: they see 2·(r + 1) tiles of 64 keys whole. */
  @Test
  void underACausalMaskTwoTilesOfEachRowNeedTheMask() {
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 10; column++) {
        int expected = column < 2 * row + 2 ? 2 : column < 2 * row + 4 ? 1 : 0;
        assertEquals(expected, AttentionFigures.kind(row, column, EVERYTHING), "row " + row + ", column " + column);
      }
    }
  }

  @Test
  void aWindowHidesWhatLiesBeforeIt() {
    // Positions 384 to 511: keys from 224 on, and whole only what the last sees too, from 352 on.
    assertEquals(0, AttentionFigures.kind(2, 2, 160));
    assertEquals(1, AttentionFigures.kind(2, 3, 160));
    assertEquals(1, AttentionFigures.kind(2, 5, 160));
    assertEquals(1, AttentionFigures.kind(2, 6, 160));
  }
}
