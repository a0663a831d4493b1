package tilewright.sm90.ladder;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;

/**
 * Steps 2 and 3: tiles of A and B in shared memory, 16 × 16 threads on a tile of C.
 *
 * @param each rows and columns of C that a thread has in registers, 16 apart
 */
record TiledGemm(int each) implements Kernel {
  private static final int SIDE = 16;
  private static final int DEPTH = 32;

  int tile() {
    return SIDE * each;
  }

  @Override
  public String name() {
    return "ladder_tiled_" + each;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(SIDE * SIDE);
    var zero = k.constant(0);
    var a = matrix(k, "A", "M", "K").from(k.blockX().times(tile()), zero);
    var b = matrix(k, "B", "N", "K").from(k.blockY().times(tile()), zero);
    var c = matrix(k, "C", "M", "N").from(k.blockX().times(tile()), k.blockY().times(tile()));
    // Columns of the tile side by side, and apart by an odd number of banks: it is filled row by row.
    var layout = Layout.of(Layout.of(tile(), 1), Layout.of(DEPTH, tile() + 2));
    var tileA = k.shared(Tile.TYPE, layout);
    var tileB = k.shared(Tile.TYPE, layout);
    var row = thread.dividedBy(SIDE);
    var column = thread.modulo(SIDE);
    var sums = IntStream.range(0, each * each).mapToObj(_ -> k.accumulator()).toList();

    k.loop(k.constant(0), a.extent(1), DEPTH, depth -> {
      fill(k, thread, tileA, a.from(zero, depth));
      fill(k, thread, tileB, b.from(zero, depth));
      k.barrier();
      k.loop(k.constant(DEPTH), i -> {
        var x = column(tileA, row, i);
        var y = column(tileB, column, i);
        for (int s = 0; s < sums.size(); s++) sums.get(s).fma(x.get(s / each), y.get(s % each));
      });
      k.barrier();
    });
    for (int s = 0; s < sums.size(); s++) {
      var sum = sums.get(s);
      var place = c.at(row.plus(s / each * SIDE), column.plus(s % each * SIDE));
      k.when(place.inside(), () -> place.store(sum.value()));
    }
  }

  private static GlobalTensor matrix(Scope k, String name, String rows, String columns) {
    return k.global(TensorSpec.of(name, Tile.TYPE, rows, columns).contiguous(columns));
  }

  /** Neighbouring threads copy neighbours along k; what A or B lacks is zero. */
  private void fill(Scope k, I32 thread, SharedTensor tile, GlobalTensor from) {
    for (int first = 0; first < tile(); first += SIDE * SIDE / DEPTH) {
      var row = thread.dividedBy(DEPTH).plus(first);
      var element = from.at(row, thread.modulo(DEPTH));
      element.copyOrZero(tile.at(row, thread.modulo(DEPTH)), element.inside());
    }
  }

  private List<F32> column(SharedTensor tile, I32 first, I32 depth) {
    var values = new ArrayList<F32>();
    for (int i = 0; i < each; i++) values.add(tile.at(first.plus(i * SIDE), depth).load());
    return values;
  }
}
