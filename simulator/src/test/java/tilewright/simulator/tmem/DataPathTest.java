package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The organizations against CuTe's accumulator fragments, in which a lane is 1 and a column 128. */
class DataPathTest {
  private static void agrees(DataPath path, int columns, Strided atom) {
    for (int n = 0; n < columns; n++) {
      for (int row = 0; row < path.rows(); row++) {
        int place = atom.at(row + path.rows() * n);
        assertEquals(place % 128, path.lane(row, path.fold(n, columns)), path + " lane of " + row + ", " + n);
        assertEquals(place / 128, path.column(n, columns), path + " column of " + row + ", " + n);
      }
    }
  }

  @Test
  void fullPathsHaveARowALane() {
    for (var path : new DataPath[] {DataPath.A, DataPath.D}) {
      for (int n = 8; n <= 256; n += 8) agrees(path, n, Strided.of(128, n, 1, 128));
    }
  }

  @Test
  void halfPathsUseSixteenLanesOfEachWarp() {
    for (var path : new DataPath[] {DataPath.C, DataPath.F}) {
      for (int n = 8; n <= 256; n += 8) agrees(path, n, Strided.of(16, 4, n, 1, 32, 128));
    }
  }

  @Test
  void foldedPathsPutTheOtherColumnsIntoOtherLanes() {
    for (int n = 16; n <= 256; n += 16) {
      agrees(DataPath.B, n, Strided.of(64, n / 2, 2, 1, 128, 64));
      agrees(DataPath.E, n, Strided.of(64, n / 2, 2, 1, 128, 64));
      agrees(DataPath.G, n, Strided.of(32, n / 4, 4, 1, 128, 32));
    }
  }

  @Test
  void theShapeAndTheFormChooseTheOrganization() {
    assertEquals(DataPath.A, DataPath.of(256, 2, false, false));
    assertEquals(DataPath.A, DataPath.of(256, 2, false, true));
    assertEquals(DataPath.B, DataPath.of(128, 2, false, false));
    assertEquals(DataPath.C, DataPath.of(128, 2, false, true));
    assertEquals(DataPath.D, DataPath.of(128, 1, false, true));
    assertEquals(DataPath.D, DataPath.of(128, 1, true, false));
    assertEquals(DataPath.E, DataPath.of(64, 1, true, false));
    assertEquals(DataPath.F, DataPath.of(64, 1, false, false));
    assertEquals(DataPath.G, DataPath.of(32, 1, true, true));
    assertThrows(IllegalArgumentException.class, () -> DataPath.of(256, 1, false, false));
  }

  @Test
  void onlyHalfPathsMayBeginAtLaneSixteen() {
    for (var path : DataPath.values()) {
      assertTrue(path.aligned(0));
      assertEquals(path == DataPath.C || path == DataPath.F, path.aligned(16));
      assertFalse(path.aligned(32));
    }
  }
}
