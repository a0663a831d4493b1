package tilewright.kernel.tiled;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.MmaAtom;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The product of a k-slice of 8-bit floats by {@code mma.sync.m16n8k16} of f16, which holds them exactly: for Hopper
 * and SM100, whose tensor cores have no {@code mma.sync} of bytes. Of one ptxas makes the same instructions there, but
 * adds each one's sums to D apart, and spills registers, as it keeps these sums for long.
 */
final class ConvertedMma implements TiledMma.Multiply {
  private final MmaAtom atom;
  private final Map<Integer, List<Operand.Register>> left = new HashMap<>();

  /** @param atom whose operands are multiplied */
  ConvertedMma(MmaAtom atom) {
    this.atom = atom;
  }

  @Override
  public void multiply(Scope k, int i, int j, List<Operand.Register> a, List<Operand.Register> b,
      List<Operand.Register> sums) {
    // ptxas does not move loads of B past it: early, they would take registers.
    if (i == 0 && j % 2 == 0) k.warpBarrier();
    var rows = left.computeIfAbsent(i, _ -> converted(k, atom.operand(), a));
    var columns = converted(k, atom.operandTypeB(), b);
    // A lane has the same four neighbours along k of A and of B: in which places of the f16 slices is all one.
    for (int half = 0; half < 2; half++) {
      MmaAtom.F32_F16.multiply(k, List.of(rows.get(4 * half), rows.get(4 * half + 2), rows.get(4 * half + 1),
          rows.get(4 * half + 3)), columns.subList(2 * half, 2 * half + 2), sums);
    }
  }

  /** The numbers of registers in order, two in each of twice as many. */
  private static List<Operand.Register> converted(Scope k, ElementType type, List<Operand.Register> packed) {
    return packed.stream().flatMap(four -> {
      var pairs = List.of(k.newRegister(PtxType.B16), k.newRegister(PtxType.B16));
      k.emit("mov.b32", new Operand.Vector(List.copyOf(pairs)), four);
      return pairs.stream().map(pair -> widened(k, type, pair));
    }).toList();
  }

  private static Operand.Register widened(Scope k, ElementType type, Operand.Register pair) {
    var halves = k.newRegister(PtxType.B32);
    k.emit("cvt.rn.f16x2." + type.text() + "x2", halves, pair);
    return halves;
  }
}
