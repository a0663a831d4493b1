package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code mma.sync.m16n8k16}: D = A·B + D on one warp (PTX ISA, Warp-level Matrix Fragments for mma.m16n8k16; SM80).
 * Layouts map (lane, value) to the column-major index in the M×K, N×K and M×N tile.
 */
public enum MmaAtom {
  F32_F16(ElementType.F16, ElementType.F32),
  F32_BF16(ElementType.BF16, ElementType.F32),
  F16_F16(ElementType.F16, ElementType.F16);

  public static final int M = 16;
  public static final int N = 8;
  public static final int K = 16;
  public static final Layout A = Layout.parse("((4,8),(2,2,2)):((32,1),(16,8,128))");
  public static final Layout B = Layout.parse("((4,8),(2,2)):((16,1),(8,64))");
  public static final Layout C = Layout.parse("((4,8),(2,2)):((32,1),(16,8))");

  private final ElementType operand;
  private final ElementType accumulator;

  MmaAtom(ElementType operand, ElementType accumulator) {
    this.operand = operand;
    this.accumulator = accumulator;
  }

  public static MmaAtom of(ElementType operand, ElementType accumulator) {
    for (var atom : values()) {
      if (atom.operand == operand && atom.accumulator == accumulator) return atom;
    }
    throw new TraceException("no mma.m16n8k16 multiplies " + operand.text() + " into " + accumulator.text()
        + ": f16 into f16 or f32, bf16 into f32");
  }

  public ElementType operand() {
    return operand;
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
    var ab = operand.text();
    var cd = accumulator.text();
    var sum = new Operand.Vector(List.copyOf(d));
    k.emit("mma.sync.aligned.m16n8k16.row.col." + cd + "." + ab + "." + ab + "." + cd,
        sum, new Operand.Vector(List.copyOf(a)), new Operand.Vector(List.copyOf(b)), sum);
  }
}
