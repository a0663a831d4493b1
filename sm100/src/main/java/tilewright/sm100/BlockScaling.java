package tilewright.sm100;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.MmaKind;

/**
 * The scale of a block as a kernel computes it, with the operations of {@link NarrowFormat} in the same order.
 *
 * @param finite whether all numbers of the block are
 * @param scale in the low byte
 * @param inverse what finite numbers are multiplied with
 */
record BlockScaling(Pred finite, Operand.Register scale, F32 inverse) {
  private static final int FRACTION = Float.PRECISION - 1;
  private static final int NAN = 0xFF;
  private static final int UE4M3_NAN = 0x7F;

  /**
   * @param largest magnitude of the block, NaN where a number is
   * @param factor of the matrix
   */
  static BlockScaling of(Scope k, NarrowFormat format, F32 largest, F32 factor) {
    var finite = largest.atMost(k.constant(Float.MAX_VALUE));
    return format.kind() == MmaKind.NVF4 ? ue4m3(k, format, largest, factor, finite)
        : ue8m0(k, format, largest, finite);
  }

  private static BlockScaling ue8m0(Scope k, NarrowFormat format, F32 largest, Pred finite) {
    var bits = k.newRegister(PtxType.B32);
    k.emit("mov.b32", bits, largest.register());
    var exponent = combine(k, "shr.u32", combine(k, "add.u32", bits, format.carry()), FRACTION);
    int ofFormat = NarrowNumbers.of(format.element()).largestExponent();
    var scale = combine(k, "max.s32", combine(k, "sub.s32", exponent, ofFormat), 0);
    var opposite = k.newRegister(PtxType.B32);
    k.emit("sub.s32", opposite, new Operand.Integer(2 * Float.MAX_EXPONENT), scale);
    var inverse = k.newRegister(PtxType.F32);
    k.emit("mov.b32", inverse, combine(k, "shl.b32", opposite, FRACTION));
    return new BlockScaling(finite, orElse(k, finite, scale, NAN), k.result(inverse));
  }

  private static BlockScaling ue4m3(Scope k, NarrowFormat format, F32 largest, F32 factor, Pred finite) {
    var quotient = largest.dividedBy(factor.times((float) NarrowNumbers.of(format.element()).largest())).register();
    var pair = k.newRegister(PtxType.B16);
    k.emit("cvt.rn.satfinite.e4m3x2.f32", pair, quotient, quotient);
    var halves = k.newRegister(PtxType.B32);
    k.emit("cvt.rn.f16x2.e4m3x2", halves, pair);
    var low = k.newRegister(PtxType.B16);
    k.emit("mov.b32", new Operand.Vector(List.of(low, new Operand.Sink())), halves);
    var value = k.newRegister(PtxType.F32);
    k.emit("cvt.f32.f16", value, low);
    var unit = k.result(value).times(factor);
    var inverse = k.constant(1f).dividedBy(unit).where(k.result(value).notEqualTo(0), k.constant(0f));
    var scale = k.newRegister(PtxType.B32);
    k.emit("cvt.u32.u16", scale, pair);
    return new BlockScaling(finite, orElse(k, finite, scale, UE4M3_NAN), inverse);
  }

  /** A word of elements: zeros where the block has no finite scale. */
  Operand.Register masked(Scope k, Operand.Register word) {
    return orElse(k, finite, word, 0);
  }

  private static Operand.Register orElse(Scope k, Pred condition, Operand.Register value, int otherwise) {
    var result = k.newRegister(PtxType.B32);
    k.emit("selp.b32", result, value, new Operand.Integer(otherwise), condition.register());
    return result;
  }

  private static Operand.Register combine(Scope k, String operation, Operand.Register left, int right) {
    var result = k.newRegister(PtxType.B32);
    k.emit(operation, result, left, new Operand.Integer(right));
    return result;
  }
}
