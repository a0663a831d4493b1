package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code mma.sync.m16n8k8} of tf32: D = A·B + D on one warp in FP32 (PTX ISA, Warp-level Matrix Fragments
 * for mma.m16n8k8; SM80). Layouts map (lane, value) to the column-major index in the M×K, N×K and M×N tile.
 */
public final class Tf32Mma {
  public static final int M = 16;
  public static final int N = 8;
  public static final int K = 8;
  public static final Layout A = Layout.parse("((4,8),(2,2)):((16,1),(8,64))");
  public static final Layout B = Layout.parse("((4,8),2):((8,1),32)");
  public static final Layout C = Layout.parse("((4,8),(2,2)):((32,1),(16,8))");

  private Tf32Mma() {}

  /** An FP32 number rounded to tf32, to nearest and ties away from zero, as a register of bits. */
  public static Operand.Register round(Scope k, F32 value) {
    var result = k.newRegister(PtxType.B32);
    k.emit("cvt.rna.tf32.f32", result, value.register());
    return result;
  }

  /** Multiplies four registers of A with two of B into four sums. */
  public static void multiply(Scope k, List<Operand.Register> a, List<Operand.Register> b, List<Operand.Register> d) {
    var sum = new Operand.Vector(List.copyOf(d));
    k.emit("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", sum, new Operand.Vector(List.copyOf(a)),
        new Operand.Vector(List.copyOf(b)), sum);
  }
}
