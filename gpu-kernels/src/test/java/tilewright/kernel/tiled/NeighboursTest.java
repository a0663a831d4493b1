package tilewright.kernel.tiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;

/** An order of B's rows by which a thread's accumulators are four or eight neighbours along n. */
class NeighboursTest {
  private static final MmaAtom ATOM = MmaAtom.of(ElementType.BF16, ElementType.F32);
  private static final TiledMma.Shape SHAPE = new TiledMma.Shape(64, 128, 32, 2, 2, true, true);

  /** Column 2q + e of atom j, which ldmatrix finds in row 8j + 2q + e, is row run · q + 2j + e of B. */
  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void rowsOfBLieWhereTheColumnsOfMmaAreRead(int run) {
    var written = SwizzledTile.alongColumnsInRuns(ElementType.BF16, 64, 32, 2, run);
    var read = SwizzledTile.alongColumns(64, 32, 2);
    for (int n = 0; n < 64; n++) {
      int q = n / run % 4;
      int j = n % run / 2;
      int column = n / (4 * run) * (4 * run) + 8 * j + 2 * q + n % 2;
      for (int k = 0; k < 32; k++) {
        for (int stage = 0; stage < 2; stage++) {
          assertEquals(read.apply(IntTuple.flat(column, k, stage)), written.apply(IntTuple.flat(n, k, stage)));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void aThreadsColumnsOfARowAreRuns(int run) {
    var layout = TiledMma.inRuns(ATOM, SHAPE, run).accumulatorPartition().layout();
    long threads = layout.mode(0).size();
    for (long thread = 0; thread < threads; thread++) {
      long t = thread;
      long[] columns = LongStream.range(0, layout.mode(1).size()).map(v -> layout.apply(v * threads + t))
          .filter(i -> i % 64 == layout.apply(t) % 64).map(i -> i / 64).sorted().toArray();
      assertEquals(16, columns.length);
      for (int first = 0; first < 16; first += run) {
        assertEquals(0, columns[first] % run);
        assertEquals(columns[first] + run - 1, Arrays.stream(columns).skip(first).limit(run).max().orElseThrow());
      }
    }
  }

  @Test
  void aWarpsBlockOfTooFewColumnsIsRefused() {
    assertThrows(TraceException.class,
        () -> TiledMma.inRuns(ATOM, new TiledMma.Shape(64, 32, 32, 2, 2, true, true), 8));
  }
}
