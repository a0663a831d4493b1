package tilewright.simulator.tmem;

import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaleFormat;

/**
 * The 32-bit instruction descriptor of a {@code tcgen05.mma} (PTX ISA, Instruction descriptor).
 *
 * @param m rows of D in all CTAs together
 * @param n columns of D
 * @param a type of A's elements
 * @param b type of B's elements
 * @param d type of the accumulators
 * @param scale type of the scale factors; {@link ScaleFormat#UE8M0} where there are none
 * @param selector which column holds the sparsity metadata
 * @param aScale byte of the word at which A's scale factors begin
 * @param bScale the same of B's
 * @param shift the largest shift that a zero-column mask may ask for
 * @param deep whether K of 4-bit elements is 96 instead of 64
 */
public record InstructionDescriptor(int m, int n, MmaType a, MmaType b, MmaType d, ScaleFormat scale,
    boolean sparse, int selector, boolean saturate, boolean negateA, boolean negateB, boolean transposeA,
    boolean transposeB, int aScale, int bScale, int shift, boolean deep) {
  private static final int K96 = 31;

  /**
   * Decodes a descriptor.
   *
   * @param ctas 1 or 2, of {@code .cta_group}
   * @throws IllegalArgumentException naming a field that is wrong for this form of the instruction
   */
  public static InstructionDescriptor of(int bits, MmaKind kind, int ctas, boolean weightStationary, boolean sparse) {
    var f = new Fields(bits, kind);
    var d = kind.scaled() ? f.scaled() : f.plain(weightStationary);
    if (d.sparse != sparse) {
      throw f.wrong("sparsity bit", d.sparse ? 1 : 0, "the instruction is " + (sparse ? "" : "not ") + ".sp");
    }
    kind.requireShape(d.m, d.n, ctas, weightStationary, sparse);
    if (kind.containerBits() == 8 && d.transposeB && d.n % (16 * ctas) != 0) {
      throw f.wrong("N", d.n, "a transposed B of bytes needs a multiple of " + 16 * ctas);
    }
    return d;
  }

  /** The bits on their way. */
  private record Fields(int bits, MmaKind kind) {
    int field(int low, int width) {
      return bits >>> low & (1 << width) - 1;
    }

    boolean flag(int bit) {
      return field(bit, 1) != 0;
    }

    IllegalArgumentException wrong(String field, int value, String rule) {
      return new IllegalArgumentException("instruction descriptor 0x" + Integer.toHexString(bits) + " for kind::"
          + kind.text() + ": " + field + " is " + value + ", but " + rule);
    }

    void zero(int low, int width) {
      if (field(low, width) != 0) throw wrong("bit " + low, field(low, width), "it is reserved and must be 0");
    }

    InstructionDescriptor plain(boolean weightStationary) {
      zero(6, 1);
      zero(23, 1);
      zero(29, 1);
      if (!weightStationary) zero(30, 2);
      if (kind != MmaKind.I8) zero(3, 1);
      if (kind == MmaKind.I8) zero(13, 2);
      boolean sparse = flag(2);
      int selector = field(0, 2);
      boolean fixed = kind == MmaKind.I8 || kind == MmaKind.F8F6F4;
      if (selector != 0 && (!sparse || fixed)) {
        throw wrong("sparsity selector", selector, "it must be 0 here");
      }
      var d = accumulator(field(4, 2));
      var a = element("A type", field(7, 3));
      var b = element("B type", field(10, 3));
      if (kind == MmaKind.F16 && a != b) throw wrong("B type", field(10, 3), "both factors must have one type");
      if (d == MmaType.F16 && a == MmaType.BF16) {
        throw wrong("D type", 0, "bf16 factors need f32 accumulators");
      }
      return new InstructionDescriptor(field(24, 5) << 4, field(17, 6) << 3, a, b, d, ScaleFormat.UE8M0, sparse,
          selector, flag(3), flag(13), flag(14), flag(15), flag(16), 0, 0, field(30, 2) == 0 ? 0 : 4 << field(30, 2),
          false);
    }

    InstructionDescriptor scaled() {
      boolean four = kind != MmaKind.MXF8F6F4;
      zero(0, 2);
      zero(3, 1);
      zero(6, 1);
      zero(24, 3);
      if (four) {
        zero(12, 1);
        zero(15, 2);
        if (flag(K96) && flag(2)) throw wrong("K", 96, "a sparse A has 128");
      } else {
        zero(K96, 1);
      }
      var scale = flag(23) ? ScaleFormat.UE8M0 : ScaleFormat.UE4M3;
      if (scale == ScaleFormat.UE4M3 && kind != MmaKind.MXF4NVF4) {
        throw wrong("scale type", 0, "only kind::mxf4nvf4 takes ue4m3 scales");
      }
      return new InstructionDescriptor(field(27, 2) << 7, field(17, 6) << 3, element("A type", field(7, 3)),
          element("B type", field(10, four ? 2 : 3)), MmaType.F32, scale, flag(2), 0, false, flag(13), flag(14),
          flag(15), flag(16), field(29, 2), field(4, 2), 0, flag(K96));
    }

    private MmaType accumulator(int code) {
      boolean half = kind == MmaKind.F16 || kind == MmaKind.F8F6F4;
      if (kind == MmaKind.I8 && code == 2) return MmaType.S32;
      if (kind != MmaKind.I8 && code == 1) return MmaType.F32;
      if (half && code == 0) return MmaType.F16;
      throw wrong("D type", code, "it must be "
          + (kind == MmaKind.I8 ? "2 (s32)" : half ? "0 (f16) or 1 (f32)" : "1 (f32)"));
    }

    private MmaType element(String name, int code) {
      var type = switch (kind) {
        case F16 -> code == 0 ? MmaType.F16 : code == 1 ? MmaType.BF16 : null;
        case TF32 -> code == 2 ? MmaType.TF32 : null;
        case I8 -> code == 0 ? MmaType.U8 : code == 1 ? MmaType.S8 : null;
        case F8F6F4, MXF8F6F4 -> switch (code) {
          case 0 -> MmaType.E4M3;
          case 1 -> MmaType.E5M2;
          case 3 -> MmaType.E2M3;
          case 4 -> MmaType.E3M2;
          case 5 -> MmaType.E2M1;
          default -> null;
        };
        case MXF4, MXF4NVF4 -> code == 1 ? MmaType.E2M1 : null;
      };
      if (type == null) throw wrong(name, code, "this kind has no such type");
      return type;
    }
  }
}
