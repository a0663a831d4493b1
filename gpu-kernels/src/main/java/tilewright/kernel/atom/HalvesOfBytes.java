package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Four e4m3 numbers of a register as f16, which holds them exactly, NaN too: by {@code cvt} from SM89 on, and by
 * integer arithmetic before.
 */
final class HalvesOfBytes {
  /** {@code prmt} selectors: two bytes in the upper halves of 16 bits, above zeros of the second operand. */
  private static final List<Integer> APART = List.of(0x1404, 0x3424);
  /** {@code a | b & c} (PTX ISA, lop3). */
  private static final int OR_OF_AND = 0xF0 | 0xCC & 0xAA;
  private static final int SIGNS = 0x80008000;
  private static final int MAGNITUDES = 0x7F007F00;
  private static final int ONE = 0x01000100;
  /** 2^8 twice: f16 has an exponent bias of 15, e4m3 of 7. */
  private static final int REBIASING = 0x5C005C00;

  private HalvesOfBytes() {}

  /** Converts four bytes into two registers, the first two bytes into the first. */
  static void convert(Scope k, Operand.Register bytes, Operand.Register first, Operand.Register second) {
    if (k.target().capability() >= Target.SM89.capability()) {
      var low = k.newRegister(PtxType.B16);
      var high = k.newRegister(PtxType.B16);
      k.needsPtx("8.1");
      k.emit("mov.b32", new Operand.Vector(List.of(low, high)), bytes);
      k.emit("cvt.rn.f16x2.e4m3x2", first, low);
      k.emit("cvt.rn.f16x2.e4m3x2", second, high);
      return;
    }
    pair(k, bytes, APART.get(0), first);
    pair(k, bytes, APART.get(1), second);
  }

  /**
   * Two bytes: their exponents and mantissas move to where f16 has them, which is 2^-8 of the number. Adding one to the
   * last place of the magnitude carries into the sign's place for NaN alone, and makes that an exponent of ones.
   */
  private static void pair(Scope k, Operand.Register bytes, int selector, Operand.Register into) {
    var apart = k.newRegister(PtxType.B32);
    var magnitude = k.newRegister(PtxType.B32);
    var carried = k.newRegister(PtxType.B32);
    var marked = k.newRegister(PtxType.B32);
    var moved = k.newRegister(PtxType.B32);
    var signed = k.newRegister(PtxType.B32);
    k.emit("prmt.b32", apart, bytes, new Operand.Integer(0), new Operand.Integer(selector));
    k.emit("and.b32", magnitude, apart, new Operand.Integer(MAGNITUDES));
    k.emit("add.s32", carried, magnitude, new Operand.Integer(ONE));
    k.emit("lop3.b32", marked, magnitude, carried, new Operand.Integer(SIGNS), new Operand.Integer(OR_OF_AND));
    k.emit("shr.u32", moved, marked, new Operand.Integer(1));
    k.emit("lop3.b32", signed, moved, apart, new Operand.Integer(SIGNS), new Operand.Integer(OR_OF_AND));
    var factor = k.newRegister(PtxType.B32);
    k.emit("mov.b32", factor, new Operand.Integer(REBIASING));
    k.emit("mul.rn.f16x2", into, signed, factor);
  }
}
