package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code mma.sync.m16n8k16} of 16-bit operands (SM80) and {@code mma.sync.m16n8k32} of 8-bit floats (SM89): D = A·B + D
 * on one warp (PTX ISA, Warp-level Matrix Fragments for mma.m16n8k16 and mma.m16n8k32). Layouts map (lane, value) to
 * the column-major index in the M×K, N×K and M×N tile.
 */
public enum MmaAtom {
  F32_F16(ElementType.F16, ElementType.F32),
  F32_BF16(ElementType.BF16, ElementType.F32),
  F16_F16(ElementType.F16, ElementType.F16),
  F32_E4M3(ElementType.E4M3, ElementType.F32),
  F32_E5M2(ElementType.E5M2, ElementType.F32),
  F32_E4M3_E5M2(ElementType.E4M3, ElementType.E5M2, ElementType.F32),
  F32_E5M2_E4M3(ElementType.E5M2, ElementType.E4M3, ElementType.F32);

  public static final int M = 16;
  public static final int N = 8;
  /** The depth for 16-bit operands. */
  public static final int K = 16;
  public static final Layout A = Layout.parse("((4,8),(2,2,2)):((32,1),(16,8,128))");
  public static final Layout B = Layout.parse("((4,8),(2,2)):((16,1),(8,64))");
  /** A of 8-bit operands: a lane's four bytes of a register are neighbours along k. */
  public static final Layout A_OF_BYTES = Layout.parse("((4,8),(4,2,2)):((64,1),(16,8,256))");
  public static final Layout B_OF_BYTES = Layout.parse("((4,8),(4,2)):((32,1),(8,128))");
  public static final Layout C = Layout.parse("((4,8),(2,2)):((32,1),(16,8))");

  private final ElementType a;
  private final ElementType b;
  private final ElementType accumulator;

  MmaAtom(ElementType operand, ElementType accumulator) {
    this(operand, operand, accumulator);
  }

  MmaAtom(ElementType a, ElementType b, ElementType accumulator) {
    this.a = a;
    this.b = b;
    this.accumulator = accumulator;
  }

  public static MmaAtom of(ElementType operand, ElementType accumulator) {
    return of(operand, operand, accumulator);
  }

  /** @throws TraceException where no atom has these types */
  public static MmaAtom of(ElementType a, ElementType b, ElementType accumulator) {
    for (var atom : values()) {
      if (atom.a == a && atom.b == b && atom.accumulator == accumulator) return atom;
    }
    throw new TraceException("no mma multiplies " + a.text() + " by " + b.text() + " into " + accumulator.text()
        + ": f16 into f16 or f32, bf16 by bf16, and e4m3 or e5m2 by either of these into f32");
  }

  /** The type of operand A. */
  public ElementType operand() {
    return a;
  }

  /** The type of operand B. */
  public ElementType operandTypeB() {
    return b;
  }

  /** Whether operands have 8 bits. */
  public boolean ofBytes() {
    return a.bits() == Byte.SIZE;
  }

  /** Elements along k. */
  public int depth() {
    return Math.toIntExact(operandA().size() / M);
  }

  /** (lane, value) → index in the M×K tile of A; a register's values are neighbours. */
  public Layout operandA() {
    return ofBytes() ? A_OF_BYTES : A;
  }

  /** (lane, value) → index in the N×K tile of B; a register's values are neighbours. */
  public Layout operandB() {
    return ofBytes() ? B_OF_BYTES : B;
  }

  public ElementType accumulator() {
    return accumulator;
  }

  /** Accumulator registers per lane: four FP32 numbers, or two pairs of halves. */
  public int accumulatorRegisters() {
    return 4 * accumulator.bits() / 32;
  }

  public PtxType accumulatorType() {
    return accumulator == ElementType.F32 ? PtxType.F32 : PtxType.B32;
  }

  /** Multiplies four registers of A with two of B into D. */
  public void multiply(Scope k, List<Operand.Register> a, List<Operand.Register> b, List<Operand.Register> d) {
    var cd = accumulator.text();
    var sum = new Operand.Vector(List.copyOf(d));
    if (ofBytes()) k.needsPtx("8.4");
    var types = String.join(".", cd, this.a.text(), this.b.text(), cd);
    k.emit("mma.sync.aligned.m16n8k" + depth() + ".row.col." + types,
        sum, new Operand.Vector(List.copyOf(a)), new Operand.Vector(List.copyOf(b)), sum);
  }
}
