package tilewright.sm100;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Eight neighbouring FP32 numbers in four 64-bit registers: loaded and stored by one 256-bit access, added two at a
 * time by {@code add.f32x2} (PTX ISA, ld/st with 256-bit vectors and Floating Point Instructions: add; SM100).
 *
 * @param pairs the lower-numbered single in the low half
 */
public record Packed(Scope k, List<Operand.Register> pairs) {
  public static final int SINGLES = 8;

  /** Loads eight neighbours; the address is a multiple of 32 bytes. */
  public static Packed load(Scope k, Element first) {
    first.requireAligned(SINGLES);
    var pairs = fresh(k);
    k.emit("ld.global.v4.b64", new Operand.Vector(List.copyOf(pairs)), first.address());
    return new Packed(k, pairs);
  }

  /** Stores eight neighbours; the address is a multiple of 32 bytes. */
  public void store(Element first) {
    first.requireAligned(SINGLES);
    k.emit("st.global.v4.b64", first.address(), new Operand.Vector(List.copyOf(pairs)));
  }

  /** Adds element by element, each sum rounded to nearest even. */
  public Packed plus(Packed other) {
    var sums = fresh(k);
    for (int i = 0; i < sums.size(); i++) k.emit("add.rn.f32x2", sums.get(i), pairs.get(i), other.pairs.get(i));
    return new Packed(k, sums);
  }

  private static List<Operand.Register> fresh(Scope k) {
    return IntStream.range(0, SINGLES / 2).mapToObj(_ -> k.newRegister(PtxType.B64)).toList();
  }
}
