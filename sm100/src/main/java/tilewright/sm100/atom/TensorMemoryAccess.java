package tilewright.sm100.atom;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code tcgen05.ld} and {@code tcgen05.st}: a warpgroup moves columns of Tensor Memory to or from registers, each warp
 * its own 32 lanes (PTX ISA, Data Movement Shape; SM100). Registers hold 32 bits.
 *
 * @param repeats of the shape along the columns: a power of two
 */
public record TensorMemoryAccess(Shape shape, int repeats) {
  private static final int MOST_REGISTERS = 128;
  private static final int HALF_LANES = 16;

  /** The shape that a warp moves at once, and its layout on a warpgroup: (thread, value) → index in 128 × columns. */
  public enum Shape {
    /** A lane a thread. */
    LANES_32_BITS_32("32x32b", 1, 1, "(32,4):(1,32)", "%d:128"),
    LANES_16_BITS_64("16x64b", 1, 2, "(2,2,8,4):(8,128,1,32)", "(%d,2):(256,16)"),
    LANES_16_BITS_128("16x128b", 2, 4, "(4,8,4):(128,1,32)", "(2,%d,2):(8,512,16)"),
    /** The fragment of {@code mma}'s accumulators, which {@code stmatrix} takes. */
    LANES_16_BITS_256("16x256b", 4, 8, "(4,8,4):(256,1,32)", "(2,2,%d,2):(128,8,1024,16)");

    private final String text;
    private final int registers;
    private final int columns;
    private final String threads;
    private final String values;

    Shape(String text, int registers, int columns, String threads, String values) {
      this.text = text;
      this.registers = registers;
      this.columns = columns;
      this.threads = threads;
      this.values = values;
    }
  }

  public TensorMemoryAccess {
    if (repeats < 1 || Integer.bitCount(repeats) != 1 || repeats * shape.registers > MOST_REGISTERS) {
      throw new TraceException("no tcgen05.ld or st of shape " + shape.text + " repeats " + repeats
          + " times: a power of two up to " + MOST_REGISTERS / shape.registers);
    }
  }

  /** Rows a thread, so many columns at once. */
  public static TensorMemoryAccess rows(int columns) {
    return new TensorMemoryAccess(Shape.LANES_32_BITS_32, columns);
  }

  public int columns() {
    return shape.columns * repeats;
  }

  /** Registers of a thread, in groups of which an instruction moves one. */
  public Fragment fragment(Scope k, PtxType type) {
    return Fragment.of(k, type, instructions(), shape.registers * repeats);
  }

  private int instructions() {
    return shape == Shape.LANES_32_BITS_32 ? 1 : Warp.SIZE / HALF_LANES;
  }

  /** The part of the 128 lanes × columns that a thread of a warpgroup has; values are in the order of the fragment. */
  public Partition partition() {
    var values = Layout.parse(shape.values.formatted(repeats));
    return Partition.exact(Layout.of(Layout.parse(shape.threads), values), TensorMemory.LANES, columns());
  }

  /** Begins to fill registers from the tile's columns; {@link TensorFence#waitForLoads} says when they are filled. */
  public void load(Scope k, TensorMemoryTile tile, I32 warp, int column, Fragment into) {
    for (int i = 0; i < instructions(); i++) {
      var registers = new Operand.Vector(List.copyOf(into.group(i)));
      k.emit("tcgen05.ld" + instruction(), registers, place(k, tile, warp, column, i));
    }
  }

  /**
   * Begins to fill registers like {@link #load}, and one more with the largest FP32 number of those of the thread; a
   * NaN is left out (PTX ISA, tcgen05.ld; SM103).
   *
   * @throws TraceException for another shape than a lane a thread, or one column
   */
  public F32 loadWithMaximum(Scope k, TensorMemoryTile tile, I32 warp, int column, Fragment into) {
    if (shape != Shape.LANES_32_BITS_32 || repeats < 2) {
      throw new TraceException("no tcgen05.ld.red of shape " + shape.text + " with " + columns()
          + " columns: 32x32b with 2 or more");
    }
    var largest = k.newRegister(PtxType.F32);
    k.emit("tcgen05.ld.red.sync.aligned." + shape.text + ".x" + repeats + ".max.f32",
        new Operand.Vector(List.copyOf(into.group(0))), largest, place(k, tile, warp, column, 0));
    return k.result(largest);
  }

  /** Begins to store registers in the tile's columns; {@link TensorFence#waitForStores} says when it is done. */
  public void store(Scope k, TensorMemoryTile tile, I32 warp, int column, Fragment from) {
    for (int i = 0; i < instructions(); i++) {
      var registers = new Operand.Vector(List.copyOf(from.group(i)));
      k.emit("tcgen05.st" + instruction(), place(k, tile, warp, column, i), registers);
    }
  }

  /** The part of the instruction's name after {@code tcgen05.ld} or {@code st}. */
  public String instruction() {
    return ".sync.aligned." + shape.text + ".x" + repeats + ".b32";
  }

  private static Operand.Address place(Scope k, TensorMemoryTile tile, I32 warp, int column, int instruction) {
    return tile.at(k, warp.times(Warp.SIZE).plus(instruction * HALF_LANES), column);
  }
}
