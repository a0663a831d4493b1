package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorView;

/**
 * Stores and reductions by tensor maps whose tensors end within tiles and are surrounded by what must stay. A tensor
 * ends no nearer than its last sixteen bytes: what is behind it there is stored too, and combined with zeros.
 */
class TmaStoreTest {
  private static final int COLUMNS = 41;
  private static final int ROWS = 21;
  private static final int LAYERS = 3;
  /** Elements from row to row, and rows of memory. */
  private static final int PITCH = 48;
  private static final int LINES = 24;
  private static final int BOX_COLUMNS = 16;
  private static final int BOX_ROWS = 4;

  /** The first column that is left alone. */
  private static int end(TensorElement element) {
    int group = 128 / element.bits();
    return Math.ceilDiv(COLUMNS, group) * group;
  }

  /** The input ends one column before the output, whose last column therefore becomes zero. */
  static Witness doubled() {
    var from = Floats.mixed(LINES * PITCH, 1);
    var to = Floats.mixed(LINES * PITCH, 2);
    var launch = new Launch(Witness.ptx("tma_store"), "doubled", new Dim3(2, 2, 1), Dim3.of(96), Dim3.ONE, 0,
        Map.of("from", MemorySegment.ofArray(from), "to", MemorySegment.ofArray(to.clone())),
        List.of(Maps.of("from", Maps.view(TensorElement.F32, PITCH, COLUMNS - 1, ROWS), 32, 16),
            Maps.of("to", Maps.view(TensorElement.F32, PITCH, COLUMNS, ROWS), 32, 16)));
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < end(TensorElement.F32); column++) {
        to[row * PITCH + column] = column < COLUMNS - 1 ? 2 * from[row * PITCH + column] : 0;
      }
    }
    return new Witness(launch, Map.of("to", MemorySegment.ofArray(to)));
  }

  private static Witness combined(Reduction reduction) {
    var random = new Random(reduction.ordinal());
    int[] from = random.ints(LAYERS * LINES * PITCH, 0, 2).map(_ -> reduction.next(random)).toArray();
    int[] to = random.ints(LINES * PITCH, 0, 2).map(_ -> reduction.next(random)).toArray();
    var element = reduction.element();
    long row = PITCH * element.bits() / Byte.SIZE;
    var layers = TensorView.of(element, List.of((long) COLUMNS, (long) ROWS, (long) LAYERS), List.of(row, LINES * row));
    int tile = element.bits() / Byte.SIZE * BOX_COLUMNS * BOX_ROWS;
    var grid = new Dim3(Math.ceilDiv(COLUMNS, BOX_COLUMNS), Math.ceilDiv(ROWS, BOX_ROWS), LAYERS);
    var launch = new Launch(Witness.ptx("tma_store"), reduction.entry(), grid, Dim3.of(32), Dim3.ONE, 0,
        Map.of("from", segment(from, element), "to", segment(to.clone(), element)),
        List.of(Maps.of("from", layers, BOX_COLUMNS, BOX_ROWS, 1),
            Maps.of("to", Maps.view(element, PITCH, COLUMNS, ROWS), BOX_COLUMNS, BOX_ROWS), Argument.u32(tile),
            Argument.u32(BOX_COLUMNS), Argument.u32(BOX_ROWS)));
    for (int i = 0; i < from.length; i++) {
      int at = i % (LINES * PITCH);
      int column = at % PITCH;
      if (at / PITCH >= ROWS || column >= end(element)) continue;
      to[at] = reduction.combine(to[at], column < COLUMNS ? from[i] : 0);
    }
    return new Witness(launch, Map.of("to", segment(to, element)));
  }

  private static MemorySegment segment(int[] values, TensorElement element) {
    if (element.bits() == Integer.SIZE) return MemorySegment.ofArray(values);
    var halves = new short[values.length];
    for (int i = 0; i < halves.length; i++) halves[i] = (short) values[i];
    return MemorySegment.ofArray(halves);
  }

  @Test
  void storesLeaveAloneWhatIsBeyondTheTensor() {
    doubled().underSeeds(200);
  }

  @ParameterizedTest
  @EnumSource
  void reductionsCombineEveryLayerOnce(Reduction reduction) {
    combined(reduction).underSeeds(40);
  }

  @Test
  void anH200LeftTheseBits() {
    doubled().wasRecorded("tma_store.doubled");
    for (var reduction : Reduction.values()) {
      combined(reduction).wasRecorded("tma_store." + reduction.name().toLowerCase(Locale.ROOT));
    }
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    doubled().onGpu(90);
    for (var reduction : Reduction.values()) combined(reduction).onGpu(90);
  }
}
