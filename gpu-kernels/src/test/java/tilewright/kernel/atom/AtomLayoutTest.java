package tilewright.kernel.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Atoms' layouts against the fragment formulas of the PTX ISA (Matrix Fragments for mma.m16n8k16, ldmatrix). */
class AtomLayoutTest {

  @Test
  void aHoldsRowsByGroupAndNeighboursAlongK() {
    for (int lane = 0; lane < 32; lane++) {
      int group = lane / 4;
      int inGroup = lane % 4;
      for (int i = 0; i < 8; i++) {
        int row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
        int column = inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0);
        assertEquals(row + 16L * column, MmaAtom.A.apply(lane + 32L * i), "lane " + lane + " value " + i);
      }
    }
  }

  @Test
  void bHoldsColumnsByGroupAndNeighboursAlongK() {
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 4; i++) {
        int k = lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0);
        assertEquals(lane / 4 + 8L * k, MmaAtom.B.apply(lane + 32L * i), "lane " + lane + " value " + i);
      }
    }
  }

  @Test
  void cHoldsRowsByGroupAndNeighboursAlongN() {
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 4; i++) {
        int row = i < 2 ? lane / 4 : lane / 4 + 8;
        int column = lane % 4 * 2 + (i & 1);
        assertEquals(row + 16L * column, MmaAtom.C.apply(lane + 32L * i), "lane " + lane + " value " + i);
      }
    }
  }

  /**
   * Register r of lane t is element (t/4, 2·(t mod 4)) of matrix r, so the matrices must be the fragment's quarters.
   */
  @Test
  void ldmatrixLoadsTheQuartersInTheFragmentsOrder() {
    for (int matrix = 0; matrix < 4; matrix++) {
      for (int row = 0; row < 8; row++) {
        int lane = 8 * matrix + row;
        int high = matrix & 1;
        int later = matrix >> 1;
        assertEquals(row + 8 * high + 16L * 8 * later, LdMatrix.A_K_MAJOR.lanes().apply(lane), "A along k, lane "
            + lane);
        assertEquals(8 * high + 16L * (row + 8 * later), LdMatrix.A_M_MAJOR.lanes().apply(lane), "A along m, lane "
            + lane);
        assertEquals(row + 8 * later + 16L * 8 * high, LdMatrix.B_K_MAJOR.lanes().apply(lane), "B along k, lane "
            + lane);
        assertEquals(8 * later + 16L * (row + 8 * high), LdMatrix.B_N_MAJOR.lanes().apply(lane), "B along n, lane "
            + lane);
      }
    }
  }

  /** PTX ISA, fragments of mma.m16n8k32 with 8-bit elements. */
  @Test
  void bytesAreNeighboursAlongKInTheirRegister() {
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 16; i++) {
        int row = lane / 4 + i / 4 % 2 * 8;
        int k = lane % 4 * 4 + i % 4 + i / 8 * 16;
        assertEquals(row + 16L * k, MmaAtom.A_OF_BYTES.apply(lane + 32L * i), "A, lane " + lane + " value " + i);
        int kOfB = lane % 4 * 4 + i % 4 + i / 4 * 16;
        if (i < 8) assertEquals(lane / 4 + 8L * kOfB, MmaAtom.B_OF_BYTES.apply(lane + 32L * i), "B, lane " + lane);
      }
    }
  }

  /** A register of V has keys {2t, 2t + 1, 2t + 8, 2t + 9} of 16, where B needs {4t, …, 4t + 3}. */
  @Test
  void transposedBytesGiveColumnsAndDepthsInAnotherOrder() {
    var load = TransposedBytes.B_N_MAJOR;
    for (int n = 0; n < 16; n++) assertEquals(n % 8 * 2 + n / 8, load.rows().apply(n), "column " + n);
    for (int k = 0; k < 64; k++) {
      int key = k / 16 * 16 + k % 16 / 4 * 2 + k % 2 + k / 2 % 2 * 8;
      assertEquals(key, load.depths(64).apply(k), "k = " + k);
    }
  }
}
