package tilewright.kernel.tiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.ElementCopy;
import tilewright.layout.Layout;

/** Threads of a tiled copy lie on the tile row by row or column by column. */
class TiledCopyTest {

  @Test
  void rowsOfThreadsCoverWideTiles() {
    var copy = TiledCopy.rowMajor(new ElementCopy(), 128, 32);
    assertEquals(4, copy.step(0));
    assertEquals(32, copy.step(1));
  }

  @Test
  void columnsOfThreadsCoverTallTiles() {
    var copy = TiledCopy.columnMajor(new ElementCopy(), 128, 32);
    assertEquals(32, copy.step(0));
    assertEquals(4, copy.step(1));
  }

  @Test
  void valuesThatTheAtomDoesNotMoveAtOnceAreRefused() {
    assertThrows(TraceException.class,
        () -> TiledCopy.of(new ElementCopy(), Layout.of(Layout.of(4, 8), Layout.of(8, 1)), Layout.columnMajor(1, 2)));
  }
}
