package tilewright.sm120;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.TransposedBytes;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockScales;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.attention.Mxf8Scales;

/**
 * The scales of mxf8 attention on SM120. A lane holds those of its queries from the begin on; those of K and V come
 * with the blocks of keys. P is 2⁸ times as large as the probabilities, and its scale is one.
 *
 * @param probabilities type of P
 */
record Sm120AttentionScales(Shape shape, HeadPacking packing, boolean packed, ElementType probabilities)
    implements BlockScales {
  /** Four scales of one: exponents of 127. */
  private static final int ONES = 0x7F7F7F7F;

  @Override
  public void giveTo(LaunchArguments arguments, AttentionProblem problem) {
    Mxf8Scales.giveTo(arguments, problem);
  }

  @Override
  public OfTile of(Scope k, I32 thread, Place place) {
    return new Tile(k, thread, place);
  }

  private static BlockScaledMma mma(ElementType a) {
    return new BlockScaledMma(new UmmaTypes(MmaKind.MXF8F6F4, MmaFormat.of(a), MmaFormat.E4M3, ElementType.F32));
  }

  /** Blocks of keys that share a tile of scales. */
  private int blocksPerTile() {
    return ScaleCopy.ROWS / shape.tileN();
  }

  private final class Tile implements OfTile {
    private final Scope k;
    private final I32 thread;
    private final BlockScaledMma scoring = mma(ElementType.E4M3);
    private final BlockScaledMma mixing = mma(probabilities);
    private final GlobalTensor keys;
    private final GlobalTensor values;
    private final StagedScales stagedKeys;
    private final StagedScales stagedValues;
    /** One list for each tile of columns. */
    private final List<List<Operand.Register>> queries;
    private final Operand.Register ones;
    private I32 part;

    Tile(Scope k, I32 thread, Place place) {
      this.k = k;
      this.thread = thread;
      keys = ofHead("scaleK", place);
      values = ofHead("scaleV", place);
      int tiles = Mxf8Scales.tiles(shape.tileD());
      int tilesOfValues = Mxf8Scales.tiles(shape.tileDv());
      var warps = Layout.of(shape.warps(), 0);
      var memory = StagedScales.memory(k, shape.stages(), Math.max(tiles, tilesOfValues));
      stagedKeys = new StagedScales(k, memory, 0, tiles,
          StagedScales.lanes(BlockScaledMma.ROWS_B, warps, shape.tileN()));
      stagedValues = new StagedScales(k, memory, 1, tilesOfValues,
          StagedScales.lanes(columnsOfValues(), warps, shape.tileDv()));
      queries = IntStream.range(0, tiles).mapToObj(tile -> loadQueries(place, tile)).toList();
      ones = k.newRegister(PtxType.B32);
      k.emit("mov.b32", ones, new Operand.Integer(ONES));
    }

    /** Lane → column of V: operand B's load gives the columns of each 16 another order. */
    private static Layout columnsOfValues() {
      var order = TransposedBytes.B_N_MAJOR.rows();
      return Layout.of(order, Layout.of(BlockScaledMma.ROWS / order.size(), order.size()))
          .composition(BlockScaledMma.ROWS_B);
    }

    /** Tiles (columns, words, blocks) of the sequence's keys of one head. */
    private GlobalTensor ofHead(String name, Place place) {
      var zero = k.constant(0);
      return k.global(Mxf8Scales.spec(name))
          .from(zero, zero, firstBlock(place, place.sequence().firstKey()), place.headOfKeys(), place.entry())
          .covered(1).covered(2).covered(3).covered(4);
    }

    private I32 firstBlock(Place place, I32 first) {
      return packed ? PackedTiles.firstSlot(first, place.batch(), Mxf8Scales.ROWS) : k.constant(0);
    }

    private List<Operand.Register> loadQueries(Place place, int tile) {
      var scales = k.global(Mxf8Scales.spec("scaleQ"));
      int block = shape.tileM() / shape.warps();
      var lanes = StagedScales.lanes(BlockScaledMma.ROWS_A, Layout.of(shape.warps(), block), block);
      var rows = Partition.shared(lanes, Math.max(shape.tileM(), BlockScaledMma.ROWS + shape.tileM() - block));
      return IntStream.range(0, rows.values()).mapToObj(i -> {
        var at = place.firstRow().plus(rows.coordinate(thread, i)[0])
            .min(packing.rows(place.sequence().queries()).plus(-1));
        var query = packing.query(at);
        var row = query.modulo(Mxf8Scales.ROWS);
        var word = row.modulo(BlockScaledMma.ROWS).times(StagedScales.GROUPS).plus(row.dividedBy(BlockScaledMma.ROWS));
        var element = scales.covered(1).covered(2).covered(3).covered(4).at(k.constant(tile), word,
            firstBlock(place, place.sequence().firstQuery()).plus(query.dividedBy(Mxf8Scales.ROWS)),
            packing.head(place.head(), at), place.entry());
        return element.vectorOrZeros(1, element.inside()).registers().getFirst();
      }).toList();
    }

    @Override
    public void copyKeys(I32 n, I32 stage) {
      copy(keys, stagedKeys, n, stage);
    }

    @Override
    public void copyValues(I32 n, I32 stage) {
      copy(values, stagedValues, n, stage);
    }

    private void copy(GlobalTensor from, StagedScales to, I32 n, I32 stage) {
      var zero = k.constant(0);
      to.copy(thread.settled(), from.from(zero, zero, n.settled().dividedBy(blocksPerTile()), zero, zero), stage,
          Pred.known(k, true));
    }

    @Override
    public void begin(I32 n) {
      part = n.modulo(blocksPerTile());
    }

    @Override
    public IntFunction<TiledMma.Multiply> scores(I32 stage) {
      var here = thread.settled();
      int groups = shape.tileN() / BlockScaledMma.ROWS;
      var words = registers(groups);
      return slice -> {
        int tile = slice / BlockScaledMma.SCALES;
        if (slice % BlockScaledMma.SCALES == 0) {
          var first = part.times(groups).plus(tile * StagedScales.GROUPS);
          load(stagedKeys, here, first, k.constant(0), BlockScaledMma.SCALES, stage, words);
        }
        return (_, i, j, left, right, sums) -> scoring.multiply(k, slice, i, j, left,
            queries.get(tile).get(i / BlockScaledMma.ATOMS_M), right, words.get(j / BlockScaledMma.ATOMS_N), sums);
      };
    }

    @Override
    public IntFunction<TiledMma.Multiply> output(I32 stage) {
      int count = shape.tileN() / Mxf8Scales.NEIGHBOURS;
      var words = registers(shape.tileDv() / BlockScaledMma.ROWS);
      load(stagedValues, thread.settled(), k.constant(0), part.times(count), count, stage, words);
      return slice -> (_, i, j, left, right, sums) -> mixing.multiply(k, slice, i, j, left, ones, right,
          words.get(j / BlockScaledMma.ATOMS_N), sums);
    }

    private List<Operand.Register> registers(int count) {
      return Stream.generate(() -> k.newRegister(PtxType.B32)).limit(count).toList();
    }

    private void load(StagedScales from, I32 here, I32 group, I32 first, int count, I32 stage,
        List<Operand.Register> into) {
      for (int i = 0; i < into.size(); i++) from.load(here, i, group, first, count, stage, into.get(i));
    }
  }
}
