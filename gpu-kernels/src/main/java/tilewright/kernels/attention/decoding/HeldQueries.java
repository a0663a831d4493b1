package tilewright.kernels.attention.decoding;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
 * Q in registers, as operand A of its slices. Beside codes bf16 numbers become f16: each row divided by the power of
 * two that its largest magnitude reaches, so that none overflows. What is lost lies 2^24 below that magnitude, less
 * than FP32 sums of the products lose.
 *
 * @param factors the powers of two that each row of the thread was divided by, if it was
 */
record HeldQueries(List<Fragment> slices, Optional<List<F32>> factors) {
  private static final int EXPONENT = 0x7F800000;
  /** The bits of 2^126, the largest power of two that has an inverse which is no subnormal number. */
  private static final int LARGEST = 0x7E800000;
  /** What the bits of a power of two and of its inverse add up to. */
  private static final int BOTH = 0x7F000000;

  /** Loads Q; beside codes, which become f16, it becomes that too. */
  static HeldQueries of(Scope k, DecodeConfig config, TiledMma scoring, I32 member, SharedTensor q,
      FragmentRows rows) {
    var slices = IntStream.range(0, scoring.slices()).mapToObj(slice -> {
      var fragment = scoring.fragmentA(k);
      scoring.loadA(k, member, q.as(config.layoutOfA()), k.constant(0), slice, fragment);
      return fragment;
    }).toList();
    boolean rounds = config.converts() && config.type() != ElementType.F16;
    return rounds ? inHalves(k, slices, rows) : new HeldQueries(slices, Optional.empty());
  }

  private static HeldQueries inHalves(Scope k, List<Fragment> slices, FragmentRows rows) {
    var powers = rows.acrossLanes(k, largest(k, slices, rows), F32::max).stream().map(value -> power(k, value))
        .toList();
    var inverses = powers.stream().map(power -> {
      var bits = k.newRegister(PtxType.B32);
      k.emit("sub.s32", bits, new Operand.Integer(BOTH), power);
      return number(k, bits);
    }).toList();
    var halves = slices.stream().map(fragment -> new Fragment(fragment.groups().stream().map(group ->
        IntStream.range(0, group.size()).mapToObj(i -> half(k, group.get(i), inverses.get(row(i)))).toList())
        .toList())).toList();
    return new HeldQueries(halves, Optional.of(powers.stream().map(power -> number(k, power)).toList()));
  }

  /** The bits of the power of two that a magnitude reaches. */
  private static Operand.Register power(Scope k, F32 magnitude) {
    var exponent = k.newRegister(PtxType.B32);
    var power = k.newRegister(PtxType.B32);
    var bits = k.newRegister(PtxType.B32);
    k.emit("mov.b32", bits, magnitude.register());
    k.emit("and.b32", exponent, bits, new Operand.Integer(EXPONENT));
    k.emit("min.s32", power, exponent, new Operand.Integer(LARGEST));
    return power;
  }

  private static List<F32> largest(Scope k, List<Fragment> slices, FragmentRows rows) {
    var largest = new ArrayList<>(rows.perRow(_ -> k.constant(0f)));
    for (var fragment : slices) {
      var group = fragment.group(0);
      for (int i = 0; i < group.size(); i++) {
        for (var value : values(k, group.get(i))) {
          largest.set(row(i), largest.get(row(i)).max(value.magnitude()));
        }
      }
    }
    largest.forEach(F32::register);
    return largest;
  }

  /** The number of a register's row of A among the thread's. */
  private static int row(int register) {
    var values = MmaAtom.A.mode(1);
    long perRegister = Integer.SIZE / ElementType.BF16.bits();
    return (int) (values.apply(register * perRegister) % MmaAtom.M / (MmaAtom.M / 2));
  }

  private static List<F32> values(Scope k, Operand.Register pair) {
    return Vector.packed(k, ElementType.BF16, List.of(pair)).values();
  }

  private static Operand.Register half(Scope k, Operand.Register pair, F32 factor) {
    var both = values(k, pair);
    return Vector.pack(k, ElementType.F16, both.get(0).times(factor), both.get(1).times(factor));
  }

  private static F32 number(Scope k, Operand.Register bits) {
    var number = k.newRegister(PtxType.F32);
    k.emit("mov.b32", number, bits);
    return k.result(number);
  }
}
