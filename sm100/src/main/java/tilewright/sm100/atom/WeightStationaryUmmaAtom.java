package tilewright.sm100.atom;

import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/**
 * {@code tcgen05.mma.ws}, weight stationary: B, read once into one of four collector buffers, is multiplied by one A
 * after the other, of 32 rows at least, in one CTA (PTX ISA, tcgen05.mma.ws; SM100).
 *
 * @param kind without scales
 * @param m rows of D: 32, 64 or 128
 * @param n columns of D: 64, 128 or 256
 */
public record WeightStationaryUmmaAtom(MmaKind kind, MmaFormat a, MmaFormat b, int m, int n) {
  private static final int LEAST_ROWS = 32;
  private static final int LEAST_COLUMNS = 64;
  private static final int MOST_COLUMNS = 256;
  private static final int BUFFERS = 4;

  /** The use of a collector buffer by an instruction. */
  public enum Use {
    /** Reads B and leaves it to nobody. */
    DISCARD("discard"),
    /** Reads B and leaves it. */
    FILL("fill"),
    /** Takes what was left, and leaves it to others. */
    USE("use"),
    /** Takes what was left. */
    LAST_USE("lastuse");

    private final String text;

    Use(String text) {
      this.text = text;
    }
  }

  /**
   * A collector buffer.
   *
   * @param number 0 to 3
   */
  public record Collector(int number, Use use) {
    public Collector {
      if (number < 0 || number >= BUFFERS) throw new TraceException("no collector buffer " + number + ": 0 to 3");
    }

    private String form() {
      return ".collector::b" + number + "::" + use.text;
    }
  }

  public WeightStationaryUmmaAtom {
    if (kind.scaled() || !kind.formats().contains(a) || !kind.formats().contains(b)
        || kind == MmaKind.F16 && a != b) {
      throw new TraceException("no stationary product of kind " + kind + " of " + a.text() + " and " + b.text());
    }
    if (!isPower(m, LEAST_ROWS, TensorMemory.LANES) || !isPower(n, LEAST_COLUMNS, MOST_COLUMNS)) {
      throw new TraceException("no tcgen05.mma.ws has " + m + " rows and " + n + " columns: 32, 64 or 128 rows, and "
          + "64, 128 or 256 columns");
    }
  }

  private static boolean isPower(int number, int least, int most) {
    return least <= number && number <= most && Integer.bitCount(number) == 1;
  }

  /** K of one instruction, in containers of shared memory. */
  public int depth() {
    return UmmaAtom.depth(a, false);
  }

  /** Columns of Tensor Memory that D takes. */
  public int accumulatorColumns() {
    return n * m / TensorMemory.LANES;
  }

  /**
   * The layout of D: (row, column) → 65536 · lane + column, the difference of addresses. Parts of the columns lie in
   * lanes one above the other (PTX ISA, Data Path Layout Organization D, E and G).
   */
  public Layout accumulator() {
    int columns = accumulatorColumns();
    return Layout.parse("(%d,(%d,%d)):(65536,(1,%d))".formatted(m, columns, n / columns, m * TensorMemory.LANE));
  }

  /** Multiplies both factors in shared memory; {@code more} is false where D shall not be added. */
  public void multiply(Scope k, TensorMemoryTile d, Operand.Register a, UmmaDescriptor formA, Operand.Register b,
      UmmaDescriptor formB, Collector collector, Pred more) {
    var sums = kind.sums();
    int form = UmmaAtom.descriptor(kind, this.a, this.b, sums, m, n, formA.kMajor(), formB.kMajor());
    k.emit("tcgen05.mma.ws" + TensorMemory.group(1) + ".kind::" + kind.text() + collector.form(), d.address(k), a, b,
        new Operand.Integer(form), more.register());
  }
}
