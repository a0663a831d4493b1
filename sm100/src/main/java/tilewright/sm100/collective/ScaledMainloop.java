package tilewright.sm100.collective;

import java.util.Optional;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * A main loop whose factors have scales: tiles of 128 rows by four come with every stage, tensors "SA" and "SB" of
 * (tiles along k, 128 words, blocks of 128 rows, L), and go on to Tensor Memory before the stage is multiplied
 * (CUTLASS, MainloopSm100TmaUmmaWarpSpecializedBlockScaled). Every CTA of a pair has all scales of B.
 */
public final class ScaledMainloop implements TensorMainloop {
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;

  private final UmmaMainloop products;
  private final TensorTile scalesA;
  private final TensorTile scalesB;
  private final int tiles;
  private final int blocks;
  private Optional<TensorMemoryTile> columns = Optional.empty();

  private ScaledMainloop(UmmaMainloop products, TensorTile scalesA, TensorTile scalesB, int tiles, int blocks) {
    this.products = products;
    this.scalesA = scalesA;
    this.scalesB = scalesB;
    this.tiles = tiles;
    this.blocks = blocks;
  }

  /** Sets tiles aside for the scales that as many stages of both factors have. */
  public static ScaledMainloop of(UmmaMainloop products, int stages) {
    var mma = products.mma();
    var kind = mma.atom().kind();
    int tiles = tiles(kind, mma.depth());
    int blocks = mma.atom().n() / ScaleCopy.ROWS;
    return new ScaledMainloop(products, scales(products.k(), "SA", "BM", tiles, stages),
        scales(products.k(), "SB", "BN", tiles, stages * blocks), tiles, blocks);
  }

  /** Tiles of scales along k that a stage of so many containers has. */
  public static int tiles(MmaKind kind, int depth) {
    return depth * kind.perContainer() / kind.block() / ScaleCopy.SCALES;
  }

  private static TensorTile scales(Scope k, String name, String rows, int tiles, int stages) {
    var spec = TensorSpec.of(name, ElementType.I32, "T", "W", rows, "L").contiguous("W").fixed("W", WORDS).aligned(4);
    var row = Layout.of(tiles, WORDS);
    return TensorTile.of(k, spec, Layout.of(row, Layout.of(WORDS, 1), Layout.of(stages, (long) tiles * WORDS)));
  }

  @Override
  public int columns() {
    return tiles * ScaleCopy.COLUMNS * (1 + blocks);
  }

  @Override
  public void take(TensorMemory memory) {
    columns = Optional.of(memory.take(columns()));
  }

  @Override
  public WorkTile.KRange range() {
    return products.range();
  }

  @Override
  public void load(Pipeline.Cursor stage, WorkTile tile) {
    var k = products.k();
    var zero = k.constant(0);
    int more = scalesA.bytes() + blocks * scalesB.bytes();
    products.load(stage, tile, more, (landing, step) -> {
      var copy = products.groups().load(landing);
      var first = step.times(tiles);
      scalesA.fill(k, zero, 1, stage.stage(), copy, first, zero, tile.m().dividedBy(ScaleCopy.ROWS),
          tile.batch());
      for (int block = 0; block < blocks; block++) {
        scalesB.fill(k, zero, 1, stage.stage().times(blocks).plus(block), copy, first, zero,
            tile.n().dividedBy(ScaleCopy.ROWS).plus(block), tile.batch());
      }
    });
  }

  @Override
  public void multiply(Pipeline.Cursor stage, WorkTile work, TensorMemoryTile sums) {
    var k = products.k();
    var mma = products.mma();
    products.consume(stage, work, step -> {
      for (int tile = 0; tile < tiles; tile++) copyScales(stage.stage(), tile);
      mma.multiplyScaled(k, sums, products.a().shared(), stage.stage(), products.b().shared(), stage.stage(),
          this::ofA, this::ofB, step.atLeast(1));
    });
  }

  private void copyScales(I32 stage, int tile) {
    var k = products.k();
    int ctas = products.groups().ctas();
    var at = k.constant(tile);
    var zero = k.constant(0);
    ScaleCopy.copy(k, ctas, ofA(tile), scalesA.shared(), at, zero, stage);
    for (int block = 0; block < blocks; block++) {
      ScaleCopy.copy(k, ctas, ofB(tile).part(block * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS), scalesB.shared(), at, zero,
          stage.times(blocks).plus(block));
    }
  }

  private TensorMemoryTile ofA(int tile) {
    return taken().part(tile * ScaleCopy.COLUMNS, ScaleCopy.COLUMNS);
  }

  private TensorMemoryTile ofB(int tile) {
    int width = blocks * ScaleCopy.COLUMNS;
    return taken().part(tiles * ScaleCopy.COLUMNS + tile * width, width);
  }

  private TensorMemoryTile taken() {
    return columns.orElseThrow(() -> new TraceException("the scales have no columns of Tensor Memory: take them"));
  }
}
