package tilewright.kernel.atom;

import java.util.List;
import java.util.Locale;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code wmma}: D = A·B + D on one warp, with fragments whose layout only the hardware knows (PTX ISA, Warp-level
 * Matrix Instructions: wmma.load, wmma.mma, wmma.store). All matrices lie row by row in shared memory.
 *
 * @param type of A and B: f16, bf16 or tf32
 * @param accumulator of D: f32, or f16 where the operands are
 */
public record WmmaAtom(Shape shape, ElementType type, ElementType accumulator) {
  private static final int REGISTER_BITS = 32;
  private static final int LANES = 32;
  /** Registers of an f16 operand, whatever its shape: some hold each element several times. */
  private static final int HALF_REGISTERS = 8;

  /** The extents of A (M,K), B (K,N) and D (M,N). */
  public enum Shape {
    M16N16K16(16, 16, 16),
    M32N8K16(32, 8, 16),
    /** The shape of tf32. */
    M16N16K8(16, 16, 8);

    private final int m;
    private final int n;
    private final int k;

    Shape(int m, int n, int k) {
      this.m = m;
      this.n = n;
      this.k = k;
    }

    public int m() {
      return m;
    }

    public int n() {
      return n;
    }

    public int k() {
      return k;
    }

    /** The name in PTX. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public WmmaAtom {
    if (!exists(shape, type, accumulator)) {
      throw new TraceException("no wmma of " + shape + " multiplies " + type.text() + " into " + accumulator.text()
          + ": f16 into f16 or f32, bf16 into f32, tf32 as m16n16k8 into f32");
    }
  }

  /** Whether there is such an instruction. */
  public static boolean exists(Shape shape, ElementType type, ElementType accumulator) {
    return (type == ElementType.TF32) == (shape == Shape.M16N16K8)
        && (accumulator == ElementType.F32 || accumulator == ElementType.F16 && type == ElementType.F16);
  }

  /** The type of A's and B's elements in memory. */
  public ElementType stored() {
    return type == ElementType.TF32 ? ElementType.F32 : type;
  }

  /** Registers per lane of A, of 32 bits. */
  public int registersA() {
    return registers(shape.m * shape.k);
  }

  /** Registers per lane of B, of 32 bits. */
  public int registersB() {
    return registers(shape.k * shape.n);
  }

  private int registers(int elements) {
    return type == ElementType.F16 ? HALF_REGISTERS : elements * stored().bits() / (LANES * REGISTER_BITS);
  }

  /** Registers per lane of D. */
  public int registersD() {
    return shape.m * shape.n * accumulator.bits() / (LANES * REGISTER_BITS);
  }

  public PtxType accumulatorType() {
    return accumulator == ElementType.F32 ? PtxType.F32 : PtxType.B32;
  }

  /**
   * Loads A from its first element on; numbers of tf32 are rounded to nearest, ties away from zero.
   *
   * @param stride from row to row, in elements
   */
  public void loadA(Scope k, Element first, int stride, List<Operand.Register> into) {
    load(k, "a", first, stride, into);
  }

  /** Like {@link #loadA} for B. */
  public void loadB(Scope k, Element first, int stride, List<Operand.Register> into) {
    load(k, "b", first, stride, into);
  }

  private void load(Scope k, String matrix, Element first, int stride, List<Operand.Register> into) {
    requireAligned(first, stride, into.size());
    k.emit("wmma.load." + matrix + ".sync.aligned.row." + shape + ".shared." + type.text(),
        new Operand.Vector(List.copyOf(into)), first.address(), new Operand.Integer(stride));
    if (type == ElementType.TF32) into.forEach(register -> k.emit("cvt.rna.tf32.f32", register, register));
  }

  /** Every row of a matrix is aligned to the bytes of a lane's fragment (PTX ISA, wmma.load, strides). */
  private static void requireAligned(Element first, int stride, int registers) {
    int elements = registers * Integer.BYTES / first.type().bytes();
    first.requireAligned(elements);
    if (stride % elements != 0) {
      throw new TraceException("rows of a wmma matrix are " + stride + " elements apart: needed is a multiple of "
          + elements);
    }
  }

  /** Multiplies a matrix A with a matrix B into D. */
  public void multiply(Scope k, List<Operand.Register> a, List<Operand.Register> b, List<Operand.Register> d) {
    var sum = new Operand.Vector(List.copyOf(d));
    var sums = accumulator.text();
    var types = type == ElementType.F16 ? sums + "." + sums : String.join(".", sums, type.text(), type.text(), sums);
    k.emit("wmma.mma.sync.aligned.row.row." + shape + "." + types, sum, new Operand.Vector(List.copyOf(a)),
        new Operand.Vector(List.copyOf(b)), sum);
  }

  /** Stores D from an element on. */
  public void store(Scope k, Element first, int stride, List<Operand.Register> d) {
    requireAligned(first, stride, d.size());
    k.emit("wmma.store.d.sync.aligned.row." + shape + ".shared." + accumulator.text(), first.address(),
        new Operand.Vector(List.copyOf(d)), new Operand.Integer(stride));
  }
}
