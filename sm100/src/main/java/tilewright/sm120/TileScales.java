package tilewright.sm120;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.StageScales;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** The scales of a CTA's tiles of A and B in the stages of its GEMM: tiles of 128 rows by four, one after the other. */
final class TileScales implements StageScales {
  private final BlockScaledMma mma;
  private final int tiles;
  private final Side a;
  private final Side b;

  /**
   * One operand's scales.
   *
   * @param registers of a lane for one tile along k
   */
  private record Side(GlobalTensor source, StagedScales staged, int registers) {}

  /**
   * @param a tiles of scales (along k, words, along the rows, batch) from those of the CTA's rows on; {@code b}
   *     likewise
   */
  TileScales(Scope k, BlockScaledMma mma, Sm120GemmConfig config, GlobalTensor a, GlobalTensor b) {
    this.mma = mma;
    this.tiles = config.scaleTiles();
    int blockM = config.tileM() / config.warpsM();
    int blockN = config.tileN() / config.warpsN();
    var memory = StagedScales.memory(k, config.stages(), tiles);
    this.a = side(k, memory, 0, a, BlockScaledMma.ROWS_A, blockM,
        Layout.of(Layout.of(config.warpsM(), blockM), Layout.of(config.warpsN(), 0)));
    this.b = side(k, memory, 1, b, BlockScaledMma.ROWS_B, blockN,
        Layout.of(Layout.of(config.warpsM(), 0), Layout.of(config.warpsN(), blockN)));
  }

  private Side side(Scope k, SharedTensor memory, int operand, GlobalTensor source, Layout rows, int block,
      Layout warps) {
    var lanes = StagedScales.lanes(rows, warps, block);
    return new Side(source, new StagedScales(k, memory, operand, tiles, lanes), block / BlockScaledMma.ROWS);
  }

  @Override
  public void copy(Scope k, I32 thread, I32 tile, I32 stage, Pred there) {
    var zero = k.constant(0);
    for (var side : List.of(a, b)) {
      side.staged.copy(thread, side.source.from(tile.times(tiles), zero, zero, zero), stage, there);
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
    var group = k.constant(mma.word(slice) * StagedScales.GROUPS);
    for (int i = 0; i < side.registers; i++) {
      side.staged.load(thread, i, group, k.constant(0), BlockScaledMma.SCALES, stage, into.get(i));
    }
  }

  @Override
  public TiledMma.Multiply by(int slice, Fragment scales) {
    return (k, i, j, left, right, sums) -> mma.multiply(k, slice, i, j, left,
        scales.group(0).get(i / BlockScaledMma.ATOMS_M), right, scales.group(1).get(j / BlockScaledMma.ATOMS_N), sums);
  }
}
