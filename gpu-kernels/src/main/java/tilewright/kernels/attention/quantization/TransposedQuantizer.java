package tilewright.kernels.attention.quantization;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.Vector;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;

/**
 * Quantises V with its keys contiguous, as tensor cores read 8-bit operands: "X" (B,S,H,D) becomes codes "Y" (B,H,D,L)
 * and factors "Factor". L is S rounded up to whole 16 bytes, or more; codes of keys that are not there are zeros to the
 * end of the last block of keys, and beyond it nothing is written. Element ≈ code · factor, as {@link HeadQuantizer}
 * has it to the bit. A thread has sixteen keys of eight columns in registers: it reads 16 bytes of each key and writes
 * 16 bytes of each column, and what a warp reads or writes together is whole sectors.
 *
 * @param dim a multiple of 8
 * @param keys of a block: 64 or 128
 */
public record TransposedQuantizer(ElementType type, ElementType narrow, int dim, int keys, Scaling scaling)
    implements Kernel {
  /** Neighbours of one key that a thread has: 16 bytes. */
  private static final int COLUMNS = 8;
  /** Keys that a thread has: 16 bytes of codes, to which rows of Y are padded. */
  public static final int GROUP = 16;
  /** Threads that may have 255 registers each: 64 hold a thread's elements. */
  private static final int MOST_THREADS = 256;

  public TransposedQuantizer {
    // Refuses other types.
    HeadQuantizer.limit(narrow);
    if (type.bits() != 16) {
      throw new TraceException("cannot transpose " + type.text() + " to 8 bits: f16 or bf16");
    }
    if (keys != 64 && keys != 128) {
      throw new TraceException("cannot quantise blocks of " + keys + " keys: 64 or 128");
    }
    if (dim < COLUMNS || dim % COLUMNS != 0 || threads(dim, keys) > MOST_THREADS) {
      throw new TraceException("cannot quantise " + keys + " keys of " + dim + " elements: a multiple of " + COLUMNS
          + ", at most " + MOST_THREADS * GROUP * COLUMNS / keys);
    }
  }

  @Override
  public String name() {
    return "quantize_transposed_" + type.text() + "_d" + dim + "_r" + keys + "_" + narrow.text() + "_"
        + scaling.text();
  }

  /** Prepares a launch on tensors by name: X, Y, Factor; with {@link Scaling#HEAD} Amax. */
  public PreparedLaunch on(Map<String, LaunchArguments.Tensor> tensors) {
    return RowQuantizer.launch(CompiledKernel.compile(this, RowQuantizer.TARGET), tensors, keys);
  }

  /** Elements in a row of Y: keys rounded up to whole 16 bytes, at least as many. */
  public static long paddedKeys(long keys) {
    return Math.max(1, Math.ceilDiv(keys, GROUP)) * GROUP;
  }

  /** Threads for so many columns, in whole warps: those of the last may have columns that are not there. */
  private static int threads(int dim, int keys) {
    return Math.ceilDiv(dim / COLUMNS * (keys / GROUP), Warp.SIZE) * Warp.SIZE;
  }

  /** (thread, column and key of the thread) → place in a tile of keys × columns. */
  private Partition partition() {
    int groups = keys / GROUP;
    int across = threads(dim, keys) / groups;
    var threads = Layout.of(Layout.of(groups, GROUP), Layout.of(across, (long) COLUMNS * keys));
    var values = Layout.of(Layout.of(COLUMNS, keys), Layout.of(GROUP, 1));
    return Partition.exact(Layout.of(threads, values), keys, (long) across * COLUMNS);
  }

  @Override
  public void trace(Scope k) {
    var mine = partition();
    var thread = k.block(mine.threads());
    var tile = BlockFactor.Tile.of(k);
    var zero = k.constant(0);
    var x = k.global(RowTransform.source(type, dim))
        .tile(List.of(1, keys), tile.batch(), tile.block(), tile.head(), zero);
    var loaded = new ArrayList<Vector>();
    var present = new ArrayList<Pred>();
    for (int key = 0; key < GROUP; key++) {
      var place = mine.coordinate(thread, key * COLUMNS);
      var from = x.at(zero, place[0], zero, place[1]);
      present.add(from.inside());
      loaded.add(from.vectorOrZeros(COLUMNS, from.inside()));
    }
    var magnitudes = Magnitudes.of(k, () -> loaded.stream().flatMap(v -> v.valuesLater().stream()).toList());
    var factor = BlockFactor.of(k, scaling, narrow, HeadQuantizer.limit(narrow), 1, thread, mine.threads(), tile,
        magnitudes.largest());
    var y = k.global(TensorSpec.of("Y", narrow, "B", "H", "D", "L").contiguous("L").aligned(GROUP)
        .multipleOf("L", GROUP).fixed("D", dim)).from(tile.batch(), tile.head(), zero, tile.block().times(keys));
    factor.store(magnitudes.finite().and(present.getLast()), (scaled, plain) -> {
      // Converted again in either branch: until there an element takes half a register.
      var values = loaded.stream().map(Vector::valuesLater).toList();
      for (int column = 0; column < COLUMNS; column++) {
        var place = mine.coordinate(thread, column);
        var to = y.at(zero, zero, place[1], place[0]);
        var codes = new ArrayList<F32>();
        for (int key = 0; key < GROUP; key++) {
          var code = scaled.apply(values.get(key).get(column));
          // A key that is not there has the code zero, whatever the factor.
          codes.add(plain ? code : code.where(present.get(key), k.constant(0f)));
        }
        k.when(to.inside(), () -> to.store(codes));
      }
    });
  }
}
