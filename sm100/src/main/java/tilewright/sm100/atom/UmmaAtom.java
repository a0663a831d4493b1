package tilewright.sm100.atom;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/**
 * {@code tcgen05.mma}: D = A·Bᵀ + D, one thread for a CTA or a pair of them, A in shared or in Tensor Memory, B in
 * shared memory, D in Tensor Memory (PTX ISA, tcgen05.mma; SM100). Each CTA of a pair has half of the rows of A and D
 * and half of the rows of B.
 *
 * @param sums type of D: f32, f16 or i32
 * @param m rows of D, in both CTAs of a pair together
 * @param n columns of D
 * @param ctas 1 or 2
 * @param deep whether K is 48 bytes of elements of four bits instead of 32 bytes (SM103)
 */
public record UmmaAtom(MmaKind kind, MmaFormat a, MmaFormat b, ElementType sums, int m, int n, int ctas,
    boolean deep) {
  private static final int DEPTH_BYTES = 32;
  private static final int DEEP_BYTES = 48;
  private static final int DEEP_BIT = 1 << 31;
  private static final int HALF_ROWS = 64;
  private static final int MOST_COLUMNS = 256;
  /** Places of the bytes at which scales begin in the instruction descriptor. */
  private static final int SCALE_A_SHIFT = 29;
  private static final int SCALE_B_SHIFT = 4;

  public UmmaAtom {
    TensorMemory.group(ctas);
    if (!kind.formats().contains(a) || !kind.formats().contains(b) || kind == MmaKind.F16 && a != b) {
      throw new TraceException("kind " + kind + " does not multiply " + a.text() + " by " + b.text() + ": it takes "
          + kind.formats());
    }
    if (!kind.addsInto(sums) || a == MmaFormat.BF16 && sums == ElementType.F16) {
      throw new TraceException("kind " + kind + " does not add " + a.text() + " products in " + sums.text());
    }
    if (m != ctas * TensorMemory.LANES && (m != ctas * HALF_ROWS || kind.scaled())) {
      throw new TraceException("no tcgen05.mma of " + ctas + " CTAs and kind " + kind + " has " + m + " rows: "
          + (kind.scaled() ? "" : ctas * HALF_ROWS + " or ") + ctas * TensorMemory.LANES);
    }
    if (deep && kind.perContainer() == 1) {
      throw new TraceException("kind " + kind + " has no K of " + DEEP_BYTES + " bytes: MXF4 and NVF4 have");
    }
    int unit = columnUnit(kind, m, ctas);
    if (n < unit || n > MOST_COLUMNS || n % unit != 0) {
      throw new TraceException("no tcgen05.mma of " + ctas + " CTAs, kind " + kind + " and " + m + " rows has " + n
          + " columns: a multiple of " + unit + " up to " + MOST_COLUMNS);
    }
  }

  /** The atom of the usual K. */
  public UmmaAtom(MmaKind kind, MmaFormat a, MmaFormat b, ElementType sums, int m, int n, int ctas) {
    this(kind, a, b, sums, m, n, ctas, false);
  }

  private static int columnUnit(MmaKind kind, int m, int ctas) {
    if (kind == MmaKind.I8 || ctas == 2) return kind == MmaKind.I8 ? 16 * ctas : 16;
    return m == HALF_ROWS ? 8 : 16;
  }

  /** The atom without scales for elements of one type. */
  public static UmmaAtom of(ElementType operand, int m, int n, int ctas) {
    return of(operand, operand, m, n, ctas);
  }

  /** The atom without scales for elements of two types that are multiplied by one kind. */
  public static UmmaAtom of(ElementType a, ElementType b, int m, int n, int ctas) {
    var format = MmaFormat.of(a);
    var kind = MmaKind.of(format);
    return new UmmaAtom(kind, format, MmaFormat.of(b), kind.sums(), m, n, ctas);
  }

  /** The atom for elements of two types that have a scale, a power of two, for 32 neighbours along k. */
  public static UmmaAtom scaled(ElementType a, ElementType b, int m, int n, int ctas) {
    return new UmmaAtom(MmaKind.MXF8F6F4, MmaFormat.of(a), MmaFormat.of(b), ElementType.F32, m, n, ctas);
  }

  /** K of one instruction, in containers of shared memory. */
  public int depth() {
    return depth(a, deep);
  }

  static int depth(MmaFormat operand, boolean deep) {
    return (deep ? DEEP_BYTES : DEPTH_BYTES) / operand.container().bytes();
  }

  /** Rows of A and D in each CTA. */
  public int rows() {
    return m / ctas;
  }

  /** Rows of B in each CTA. */
  public int columnsEach() {
    return n / ctas;
  }

  /** Columns of Tensor Memory that D takes. */
  public int accumulatorColumns() {
    return folded() ? n / 2 : n;
  }

  private boolean folded() {
    return ctas == 2 && rows() == HALF_ROWS;
  }

  /**
   * The layout of one CTA's rows of D: (row, column) → 65536 · lane + column, the difference of addresses (PTX ISA,
   * Data Path Layout Organization A, B, D and F).
   */
  public Layout accumulator() {
    if (rows() == TensorMemory.LANES) {
      return Layout.parse("(128,%d):(65536,1)".formatted(n));
    }
    return Layout.parse(folded() ? "(64,(%d,2)):(65536,(1,4194304))".formatted(n / 2)
        : "((16,4),%d):((65536,2097152),1)".formatted(n));
  }

  /** D's layout in the lanes × columns that it takes: (row, column) → lane + 128 · column. */
  public Layout partition() {
    return Layout.of(inTile(accumulator().mode(0)), inTile(accumulator().mode(1)));
  }

  private static Layout inTile(Layout addresses) {
    long[] strides = addresses.flatStride();
    for (int i = 0; i < strides.length; i++) {
      strides[i] = strides[i] / TensorMemory.LANE + strides[i] % TensorMemory.LANE * TensorMemory.LANES;
    }
    return new Layout(IntTuple.flat(addresses.flatShape()), IntTuple.flat(strides));
  }

  /** The instruction descriptor for factors whose neighbours run along k or along m and n. */
  int descriptor(boolean aKMajor, boolean bKMajor) {
    return descriptor(kind, a, b, sums, m, n, aKMajor, bKMajor) | (deep ? DEEP_BIT : 0);
  }

  static int descriptor(MmaKind kind, MmaFormat a, MmaFormat b, ElementType sums, int m, int n, boolean aKMajor,
      boolean bKMajor) {
    int shape = n / 8 << 17 | m / 16 << 24;
    int factors = a.code(kind) << 7 | b.code(kind) << 10 | (aKMajor ? 0 : 1 << 15) | (bKMajor ? 0 : 1 << 16);
    return shape | factors | (kind.scaled() ? kind.scaleCode() << 23 : kind.accumulatorCode(sums) << 4);
  }

  /** Multiplies both factors in shared memory; {@code more} is false where D shall not be added. */
  public void multiply(Scope k, TensorMemoryTile d, Operand.Register a, UmmaDescriptor formA, Operand.Register b,
      UmmaDescriptor formB, Pred more) {
    k.emit(form(), d.address(k), a, b, new Operand.Integer(descriptor(formA.kMajor(), formB.kMajor())),
        more.register());
  }

  /** Multiplies A in Tensor Memory, a row per lane and neighbours along k in a column, by B in shared memory. */
  public void multiply(Scope k, TensorMemoryTile d, TensorMemoryTile a, Operand.Register b, UmmaDescriptor formB,
      Pred more) {
    k.emit(form(), d.address(k), a.address(k), b, new Operand.Integer(descriptor(true, formB.kMajor())),
        more.register());
  }

  /**
   * Multiplies A in Tensor Memory, whose rows count from the second on, the first twice, by B in shared memory: a step
   * of a convolution (PTX ISA, tcgen05.mma, .ashift).
   *
   * @throws TraceException where a CTA has fewer than 128 rows
   */
  public void multiplyShifted(Scope k, TensorMemoryTile d, TensorMemoryTile a, Operand.Register b,
      UmmaDescriptor formB, Pred more) {
    if (rows() != TensorMemory.LANES || kind.scaled()) {
      throw new TraceException("no shifted product of " + rows() + " rows in each CTA and kind " + kind
          + ": 128 rows, without scales");
    }
    k.emit(form() + ".ashift", d.address(k), a.address(k), b, new Operand.Integer(descriptor(true, formB.kMajor())),
        more.register());
  }

  /** Multiplies factors that have scales. */
  public void multiplyScaled(Scope k, TensorMemoryTile d, Operand.Register a, UmmaDescriptor formA, Operand.Register b,
      UmmaDescriptor formB, Scales scalesA, Scales scalesB, Pred more) {
    multiplyScaled(k, d, a, formA.kMajor(), b, formB, scalesA, scalesB, more);
  }

  /** Multiplies A in Tensor Memory by B in shared memory, which have scales. */
  public void multiplyScaled(Scope k, TensorMemoryTile d, TensorMemoryTile a, Operand.Register b, UmmaDescriptor formB,
      Scales scalesA, Scales scalesB, Pred more) {
    multiplyScaled(k, d, a.address(k), true, b, formB, scalesA, scalesB, more);
  }

  private void multiplyScaled(Scope k, TensorMemoryTile d, Operand a, boolean aKMajor, Operand.Register b,
      UmmaDescriptor formB, Scales scalesA, Scales scalesB, Pred more) {
    var form = scalesA.first.times(1 << SCALE_A_SHIFT).plus(scalesB.first.times(1 << SCALE_B_SHIFT))
        .plus(descriptor(aKMajor, formB.kMajor()));
    k.emit(form(), d.address(k), a, b, form.operand(), scalesA.columns.address(k), scalesB.columns.address(k),
        more.register());
  }

  /**
   * The scales of a factor in Tensor Memory: a row per lane and column, four neighbours along k in a word.
   *
   * @param first byte of the words at which the instruction's scales begin (PTX ISA, Scale Factor A ID)
   */
  public record Scales(TensorMemoryTile columns, I32 first) {}

  /** The instruction's name. */
  public String form() {
    return "tcgen05.mma" + TensorMemory.group(ctas) + ".kind::" + (deep ? kind.textOfBlocks() : kind.text());
  }
}
