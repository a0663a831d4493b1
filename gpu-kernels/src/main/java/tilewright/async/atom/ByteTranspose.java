package tilewright.async.atom;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The transpose of a tile of bytes in shared memory: {@code ldmatrix.trans} of pairs of bytes, {@code prmt} that parts
 * the pairs, {@code stmatrix} (FlashAttention-3, section 3.3, "FP8"; SM90). No bytes move between threads otherwise,
 * and no bank conflicts, because rows and columns come out in another order: {@link #columnOfRow} and
 * {@link #rowOfColumn}, which follow from the fragments of the three instructions.
 *
 * @param warps that share a tile
 * @param together instructions of a kind in a row, so that one does not wait for the other; each takes eight registers
 * @param unrolled whether all columns are moved one after the other, and the addresses of all kept; in a loop instead,
 *     warps of few registers can
 */
public record ByteTranspose(int warps, int together, boolean unrolled) {
  /** Rows of the source that an instruction reads, by its columns. */
  private static final int ROWS = 32;
  private static final int COLUMNS = 16;
  private static final int MATRICES = 4;
  private static final int GRANULE = 16;
  /** {@code prmt} selectors: the even and the odd bytes of two registers. */
  private static final List<Integer> SELECTORS = List.of(0x6420, 0x7531);

  /** ldmatrix.x4.trans of 16-bit pairs: (lane, (byte, row of the pair, register)) → (row, column) of the source. */
  private static final Layout LOADED = Layout.parse("((4,8),(2,2,4)):((2,64),(32,1,8))");
  /** prmt: byte of a register that is stored, and the register, → byte that was loaded. */
  private static final Layout PERMUTED = Layout.parse("((2,2),(2,2)):((2,4),(1,8))");
  /** stmatrix.x4: (lane, (byte, register)) → (row, column) of the target. */
  private static final Layout STORED = Layout.parse("((4,8),(4,2,2)):((64,1),(16,8,256))");

  public ByteTranspose {
    if (warps < 1 || together < 1) {
      throw new TraceException("no transpose by " + warps + " warps, " + together + " loads at a time: at least 1");
    }
  }

  /** Element of the 16×32 target → element of the 32×16 source. */
  private static Layout moved() {
    var source = Layout.of(LOADED.mode(0), LOADED.mode(1).composition(PERMUTED));
    return source.composition(STORED.rightInverse()).composition(Layout.columnMajor(COLUMNS, ROWS));
  }

  /** Row of the target → column of the source, of a source with so many. */
  public static Layout columnOfRow(int columns) {
    var within = Layout.of(ROWS, 0).append(Layout.of(COLUMNS, 1)).composition(moved().mode(0));
    return Layout.of(within, Layout.of(columns / COLUMNS, COLUMNS)).coalesce();
  }

  /** Column of the target → row of the source, of a source with so many. */
  public static Layout rowOfColumn(int rows) {
    var within = Layout.of(ROWS, 1).append(Layout.of(COLUMNS, 0)).composition(moved().mode(1));
    return Layout.of(within, Layout.of(rows / ROWS, ROWS)).coalesce();
  }

  /**
   * Transposes a stage; all lanes of the warps call it.
   *
   * @param lane of the warp; {@code warp} of those that share the tile
   * @param source (columns, rows, stages), neighbours along the columns
   * @param target (rows, columns, stages) of the transpose, neighbours along its columns
   */
  public void apply(Scope k, I32 lane, I32 warp, SharedTensor source, I32 from, SharedTensor target, I32 to) {
    int columns = extent(source, 0);
    int rows = extent(source, 1);
    if (columns != extent(target, 0) || rows != extent(target, 1) || columns % (COLUMNS * warps) != 0
        || rows % ROWS != 0) {
      throw new TraceException("no transpose of " + source.layout() + " to " + target.layout() + " by " + warps
          + " warps: multiples of " + ROWS + " rows, and of " + COLUMNS + " columns for each warp");
    }
    var thread = lane.plus(warp.times(Warp.SIZE));
    int across = unrolled ? columns : COLUMNS * warps;
    var values = Layout.of(Layout.of(across / COLUMNS / warps, COLUMNS * warps),
        Layout.of(rows / ROWS, (long) ROWS * across));
    // A lane's address is that of a source's row or a target's row of 16 bytes.
    var loads = Partition.shared(Layout.of(Layout.of(Layout.of(ROWS, across), Layout.of(warps, COLUMNS)), values),
        across, rows);
    var stores = Partition.shared(Layout.of(Layout.of(Layout.of(COLUMNS, 1), Layout.of(2, (long) GRANULE * across),
        Layout.of(warps, COLUMNS)), values), across, rows);
    Consumer<I32> move = column -> {
      for (int first = 0; first < loads.values(); first += together) {
        int end = Math.min(first + together, loads.values());
        var loaded = new ArrayList<List<Operand.Register>>();
        for (int part = first; part < end; part++) {
          var here = loads.coordinate(thread, part);
          var matrices = Stream.generate(() -> k.newRegister(PtxType.B32)).limit(MATRICES).toList();
          k.emit("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", new Operand.Vector(List.copyOf(matrices)),
              aligned(source, here[0].plus(column), here[1], from));
          loaded.add(matrices);
        }
        for (int part = first; part < end; part++) {
          var there = stores.coordinate(thread, part);
          k.emit("stmatrix.sync.aligned.m8n8.x4.shared.b16", aligned(target, there[0].plus(column), there[1], to),
              new Operand.Vector(List.copyOf(permuted(k, loaded.get(part - first)))));
        }
      }
    };
    if (unrolled) move.accept(k.constant(0));
    else k.loop(k.constant(columns / across), number -> move.accept(number.times(across)));
  }

  /** Parts the pairs of bytes of four matrices, two of neighbouring rows at a time. */
  private static List<Operand.Register> permuted(Scope k, List<Operand.Register> matrices) {
    var all = new ArrayList<Operand.Register>();
    for (int pair = 0; pair < MATRICES; pair += 2) {
      for (int selector : SELECTORS) {
        var register = k.newRegister(PtxType.B32);
        k.emit("prmt.b32", register, matrices.get(pair), matrices.get(pair + 1), new Operand.Integer(selector));
        all.add(register);
      }
    }
    return all;
  }

  private static Operand.Address aligned(SharedTensor tile, I32... coordinate) {
    var row = tile.at(coordinate);
    row.requireAligned(GRANULE);
    return row.address();
  }

  private static int extent(SharedTensor tile, int mode) {
    return Math.toIntExact(tile.layout().shape().mode(mode).size());
  }
}
