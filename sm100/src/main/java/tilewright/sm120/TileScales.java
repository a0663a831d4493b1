package tilewright.sm120;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.StageScales;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The scales of a CTA's tiles of A and B: tiles of 128 rows by four from global memory to the stages, as they lie
 * there, and one word per lane for each 32 rows from there to registers.
 */
final class TileScales implements StageScales {
  /** Words of a tile of scales, one for each row. */
  static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;
  private static final Layout WORD_OF_ROW = ScaleCopy.layout().upcast(Integer.BYTES).mode(0);
  private static final int VECTOR = 4;

  private final BlockScaledMma mma;
  private final int tiles;
  private final SharedTensor written;
  private final SharedTensor read;
  private final Side a;
  private final Side b;

  /**
   * One operand's scales.
   *
   * @param lanes (thread, register and tile along k) → row and tile along k
   * @param registers of a lane for one tile along k
   * @param place in a stage: 0 or 1
   */
  private record Side(GlobalTensor source, Partition lanes, int registers, int place) {
    I32 slot(I32 stage) {
      return stage.times(2).plus(place);
    }
  }

  /**
   * @param a tiles of scales (along k, words, along the rows, batch) from those of the CTA's rows on; {@code b}
   *     likewise
   */
  TileScales(Scope k, BlockScaledMma mma, Sm120GemmConfig config, GlobalTensor a, GlobalTensor b) {
    this.mma = mma;
    this.tiles = config.scaleTiles();
    var slots = Layout.of(2L * config.stages(), (long) tiles * WORDS);
    this.written = k.shared(ElementType.I32, Layout.of(Layout.of(tiles, WORDS), Layout.of(WORDS, 1), slots));
    this.read = written.as(Layout.of(WORD_OF_ROW, Layout.of(tiles, WORDS), slots));
    int blockM = config.tileM() / config.warpsM();
    int blockN = config.tileN() / config.warpsN();
    this.a = side(a, BlockScaledMma.ROWS_A, blockM,
        Layout.of(Layout.of(config.warpsM(), blockM), Layout.of(config.warpsN(), 0)), 0);
    this.b = side(b, BlockScaledMma.ROWS_B, blockN,
        Layout.of(Layout.of(config.warpsM(), 0), Layout.of(config.warpsN(), blockN)), 1);
  }

  private Side side(GlobalTensor source, Layout rows, int block, Layout warps, int place) {
    int registers = block / BlockScaledMma.ROWS;
    var values = Layout.of(Layout.of(registers, BlockScaledMma.ROWS), Layout.of(tiles, ScaleCopy.ROWS));
    var lanes = Partition.shared(Layout.of(Layout.of(rows, warps), values), ScaleCopy.ROWS, tiles);
    return new Side(source, lanes, registers, place);
  }

  @Override
  public void copy(Scope k, I32 thread, I32 tile, I32 stage, Pred there) {
    int threads = tiles * WORDS / VECTOR;
    var copy = TiledCopy.rowMajor(new CpAsync(k, VECTOR, Integer.BYTES), threads, WORDS / VECTOR)
        .where(there.and(thread.lessThan(threads)));
    var zero = k.constant(0);
    for (var side : List.of(a, b)) {
      copy.copy(thread.modulo(threads), side.source.from(tile.times(tiles), zero, zero, zero), written,
          side.slot(stage), zero, zero);
    }
  }

  @Override
  public Fragment fragment(Scope k) {
    return new Fragment(List.of(Fragment.of(k, PtxType.B32, 1, a.registers).group(0),
        Fragment.of(k, PtxType.B32, 1, b.registers).group(0)));
  }

  @Override
  public void load(Scope k, I32 thread, I32 stage, int slice, Fragment into) {
    load(k, a, thread, stage, slice, into.group(0));
    load(k, b, thread, stage, slice, into.group(1));
  }

  private void load(Scope k, Side side, I32 thread, I32 stage, int slice, List<Operand.Register> into) {
    for (int i = 0; i < side.registers; i++) {
      var place = side.lanes.coordinate(thread, i + mma.word(slice) * side.registers);
      k.emit("ld.shared.b32", into.get(i), read.at(place[0], place[1], side.slot(stage)).address());
    }
  }

  @Override
  public TiledMma.Multiply by(int slice, Fragment scales) {
    return (k, i, j, left, right, sums) -> mma.multiply(k, slice, i, j, left,
        scales.group(0).get(i / BlockScaledMma.ATOMS_M), right, scales.group(1).get(j / BlockScaledMma.ATOMS_N), sums);
  }
}
