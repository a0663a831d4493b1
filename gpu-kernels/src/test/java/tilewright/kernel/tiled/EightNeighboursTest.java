package tilewright.kernel.tiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.IntTuple;
import tilewright.numerics.ElementType;

/** An order of B's rows by which a thread's accumulators are eight neighbours along n. */
class EightNeighboursTest {
  private static final TiledMma.Shape SHAPE = new TiledMma.Shape(64, 128, 32, 2, 2, true, true);

  /** Column 2q + e of atom j, which ldmatrix finds in row 8j + 2q + e of 32, is row 8q + 2j + e of B. */
  @Test
  void rowsOfBLieWhereTheColumnsOfMmaAreRead() {
    var written = SwizzledTile.alongColumnsByEights(64, 32, 2);
    var read = SwizzledTile.alongColumns(64, 32, 2);
    for (int n = 0; n < 64; n++) {
      int q = n / 8 % 4;
      int j = n / 2 % 4;
      int column = n / 32 * 32 + 8 * j + 2 * q + n % 2;
      for (int k = 0; k < 32; k++) {
        for (int stage = 0; stage < 2; stage++) {
          assertEquals(read.apply(IntTuple.flat(column, k, stage)), written.apply(IntTuple.flat(n, k, stage)));
        }
      }
    }
  }

  @Test
  void aThreadsColumnsOfARowAreRunsOfEight() {
    var mma = TiledMma.byEights(MmaAtom.of(ElementType.BF16, ElementType.F32), SHAPE);
    var layout = mma.accumulatorPartition().layout();
    long threads = layout.mode(0).size();
    for (long thread = 0; thread < threads; thread++) {
      long t = thread;
      long[] columns = LongStream.range(0, layout.mode(1).size()).map(v -> layout.apply(v * threads + t))
          .filter(i -> i % 64 == layout.apply(t) % 64).map(i -> i / 64).sorted().toArray();
      assertEquals(16, columns.length);
      for (int run = 0; run < 2; run++) {
        int first = 8 * run;
        assertEquals(0, columns[first] % 8);
        assertEquals(columns[first] + 7, Arrays.stream(columns).skip(first).limit(8).max().orElseThrow());
      }
    }
  }

  @Test
  void aWarpsBlockOfTooFewColumnsIsRefused() {
    assertThrows(TraceException.class, () -> TiledMma.byEights(MmaAtom.of(ElementType.BF16, ElementType.F32),
        new TiledMma.Shape(64, 32, 32, 2, 2, true, true)));
  }
}
