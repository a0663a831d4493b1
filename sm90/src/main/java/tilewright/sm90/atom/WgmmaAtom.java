package tilewright.sm90.atom;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/**
 * {@code wgmma.mma_async.m64nNk}: D = A·B + D on a warpgroup, both operands in shared memory, sums in single precision
 * (PTX ISA, Asynchronous Warpgroup Level Matrix Multiply-Accumulate; SM90).
 *
 * @param columns N: 8 to 256 in steps of 8
 */
public record WgmmaAtom(ElementType operand, int columns) {
  public static final int M = 64;
  public static final int THREADS = 128;
  private static final int DEPTH_BYTES = 32;
  private static final int MOST_COLUMNS = 256;
  private static final int LEAF = 8;

  public WgmmaAtom {
    if (columns < LEAF || columns > MOST_COLUMNS || columns % LEAF != 0) {
      throw new TraceException("no wgmma has " + columns + " columns: a multiple of 8 up to 256");
    }
    if (operand.bits() > 32 || operand == ElementType.F32 || operand == ElementType.I32 || operand == ElementType.I8) {
      throw new TraceException("no wgmma multiplies " + operand.text()
          + " into f32: f16, bf16, tf32, e4m3 or e5m2");
    }
  }

  /** K of one instruction. */
  public int depth() {
    return DEPTH_BYTES / operand.bytes();
  }

  /** (thread of the warpgroup, value) → column-major index in the 64×N tile (PTX ISA, wgmma register fragments, D). */
  public Layout accumulator() {
    return Layout.parse("((4,8,4),(2,2,%d)):((128,1,16),(64,8,512))".formatted(columns / LEAF));
  }

  /** Which elements of the 64×N tile a thread of the warpgroup has. */
  public Partition partition() {
    return Partition.exact(accumulator(), M, columns);
  }

  /** Singles of D a thread. */
  public int registers() {
    return M * columns / THREADS;
  }

  /** Orders earlier accesses to the registers of D before the multiplications that follow. */
  public static void fence(Scope k) {
    k.emit("wgmma.fence.sync.aligned");
  }

  /** Closes the group of multiplications since the last one. */
  public static void commit(Scope k) {
    k.emit("wgmma.commit_group.sync.aligned");
  }

  /** Waits until at most so many of the newest groups are under way. */
  public static void waitFor(Scope k, int pending) {
    k.emit("wgmma.wait_group.sync.aligned", new Operand.Integer(pending));
  }

  /** Multiplies what two descriptors point to into D. */
  public void multiply(Scope k, Operand.Register a, MatrixDescriptor formA, Operand.Register b, MatrixDescriptor formB,
      List<Operand.Register> d) {
    var type = operand.text();
    var operands = new ArrayList<Operand>(List.of(new Operand.Vector(List.copyOf(d)), a, b,
        new Operand.Integer(1), new Operand.Integer(1), new Operand.Integer(1)));
    if (operand.bits() == 16) {
      operands.add(new Operand.Integer(formA.kMajor() ? 0 : 1));
      operands.add(new Operand.Integer(formB.kMajor() ? 0 : 1));
    }
    k.emit("wgmma.mma_async.sync.aligned.m64n" + columns + "k" + depth() + ".f32." + type + "." + type,
        operands.toArray(Operand[]::new));
  }
}
