package tilewright.kernels.attention.decoding;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Q as operand A, slice by slice: in registers, or where these are short read from shared memory for each block. Beside
 * codes bf16 numbers become f16: each row divided by the power of two that its largest magnitude reaches, so that none
 * overflows. What is lost lies 2^24 below that magnitude, less than FP32 sums of the products lose.
 */
final class HeldQueries {
  private static final int EXPONENT = 0x7F800000;
  /** The bits of 2^126, the largest power of two that has an inverse which is no subnormal number. */
  private static final int LARGEST = 0x7E800000;
  /** The sum of the bits of a power of two and of its inverse. */
  private static final int BOTH = 0x7F000000;

  private final Scope k;
  private final TiledMma scoring;
  private final I32 member;
  private final SharedTensor q;
  private final Optional<List<F32>> powers;
  private final UnaryOperator<Fragment> rounding;
  private final Optional<List<Fragment>> held;

  /** @param q in shared memory, as operand A is read */
  HeldQueries(Scope k, DecodeConfig config, TiledMma scoring, I32 member, SharedTensor q, FragmentRows rows) {
    this.k = k;
    this.scoring = scoring;
    this.member = member;
    this.q = q;
    var all = IntStream.range(0, scoring.slices());
    if (config.converts() && config.type() == ElementType.BF16) {
      var bits = rows.acrossLanes(k, largest(rows), F32::max).stream().map(this::power).toList();
      var inverses = bits.stream().map(this::inverse).toList();
      powers = Optional.of(bits.stream().map(this::number).toList());
      rounding = fragment -> new Fragment(List.of(IntStream.range(0, fragment.group(0).size())
          .mapToObj(i -> half(fragment.group(0).get(i), inverses.get(row(i)))).toList()));
    } else {
      powers = Optional.empty();
      rounding = fragment -> fragment;
    }
    held = config.shape().queryInRegisters() ? Optional.of(all.mapToObj(this::read).toList()) : Optional.empty();
  }

  /** The powers of two that each row of the thread was divided by, if it was. */
  Optional<List<F32>> powers() {
    return powers;
  }

  Fragment slice(int slice) {
    return held.map(all -> all.get(slice)).orElseGet(() -> read(slice));
  }

  private Fragment read(int slice) {
    return rounding.apply(load(slice));
  }

  private Fragment load(int slice) {
    var fragment = scoring.fragmentA(k);
    // Addresses are computed here: held through the loop, they would be spilled.
    scoring.loadA(k, member.settled(), q, k.constant(0), slice, fragment);
    return fragment;
  }

  private List<F32> largest(FragmentRows rows) {
    var largest = new ArrayList<>(rows.perRow(_ -> k.constant(0f)));
    for (int slice = 0; slice < scoring.slices(); slice++) {
      var registers = load(slice).group(0);
      for (int i = 0; i < registers.size(); i++) {
        for (var value : values(registers.get(i))) {
          largest.set(row(i), largest.get(row(i)).max(value.magnitude()));
        }
      }
    }
    largest.forEach(F32::register);
    return largest;
  }

  /** The number of a register's row of A among the thread's. */
  private static int row(int register) {
    long perRegister = Integer.SIZE / ElementType.BF16.bits();
    return (int) (MmaAtom.A.mode(1).apply(register * perRegister) % MmaAtom.M / (MmaAtom.M / 2));
  }

  /** The bits of the power of two that a magnitude reaches. */
  private Operand.Register power(F32 magnitude) {
    var bits = k.newRegister(PtxType.B32);
    var exponent = k.newRegister(PtxType.B32);
    var power = k.newRegister(PtxType.B32);
    k.emit("mov.b32", bits, magnitude.register());
    k.emit("and.b32", exponent, bits, new Operand.Integer(EXPONENT));
    k.emit("min.s32", power, exponent, new Operand.Integer(LARGEST));
    return power;
  }

  private F32 inverse(Operand.Register power) {
    var bits = k.newRegister(PtxType.B32);
    k.emit("sub.s32", bits, new Operand.Integer(BOTH), power);
    return number(bits);
  }

  private F32 number(Operand.Register bits) {
    var number = k.newRegister(PtxType.F32);
    k.emit("mov.b32", number, bits);
    return k.result(number);
  }

  private List<F32> values(Operand.Register pair) {
    return Vector.packed(k, ElementType.BF16, List.of(pair)).values();
  }

  private Operand.Register half(Operand.Register pair, F32 factor) {
    var both = values(pair);
    return Vector.pack(k, ElementType.F16, both.get(0).times(factor), both.get(1).times(factor));
  }
}
