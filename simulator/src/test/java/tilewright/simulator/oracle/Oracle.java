package tilewright.simulator.oracle;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.ptx.PtxType;

/** What an arithmetic instruction gives for one thread's operands, by definition. */
final class Oracle {
  private Oracle() {}

  /** Whether a form is defined here: approximations are the hardware's own, video instructions have records. */
  static boolean defines(String opcode, List<String> modifiers) {
    return !opcode.matches("v(add|sub|absdiff|min|max|set|shl|shr|mad)")
        && Stream.of("approx", "full").noneMatch(modifiers::contains);
  }

  /** The result's bits, not yet cut to the width of a register; a predicate is 0 or 1. */
  static long apply(String opcode, List<String> modifiers, long... x) {
    var types = modifiers.stream().map(PtxType::parse).flatMap(java.util.Optional::stream).toList();
    var type = types.isEmpty() ? PtxType.B32 : types.getLast();
    var shorts = modifiers.stream().filter(m -> m.matches("[us]16x2")).findFirst();
    if (shorts.isPresent()) {
      return shorts(opcode, modifiers, shorts.get().startsWith("s") ? PtxType.S16 : PtxType.U16, x);
    }
    boolean arithmetic = List.of("add", "sub", "fma").contains(opcode);
    if (arithmetic && types.size() == 2 && types.getFirst() == PtxType.F32) {
      return mixed(opcode, modifiers, ConversionOracle.format(type), x);
    }
    if (modifiers.contains("relu") && type == PtxType.S32) {
      return Math.max(0, (int) new IntegerOracle(type, modifiers).apply(opcode, x));
    }
    if (modifiers.contains("oob")) return outOfBounds(modifiers, type, x);
    return switch (opcode) {
      case "cvt" -> convert(modifiers, types, x);
      case "set", "setp" -> compare(opcode, modifiers, types, type, x);
      case "testp" ->
          new FloatOracle(ConversionOracle.format(type), modifiers).test(modifiers.getFirst(), x[0]) ? 1 : 0;
      case "selp" -> x[2] != 0 ? x[0] : x[1];
      case "mov" -> x[0];
      case "and", "or", "xor", "not" -> type == PtxType.PRED
          ? new IntegerOracle(PtxType.B32, modifiers).apply(opcode, x) & 1
          : new IntegerOracle(type, modifiers).apply(opcode, x);
      case "dp2a", "dp4a" -> new IntegerOracle(PtxType.S32, modifiers).apply(opcode, x);
      default -> ConversionOracle.isFloat(type) ? floating(opcode, modifiers, type, x)
          : new IntegerOracle(type, modifiers).apply(opcode, x);
    };
  }

  private static boolean isPair(PtxType type) {
    return type == PtxType.F16X2 || type == PtxType.BF16X2;
  }

  private static long floating(String opcode, List<String> modifiers, PtxType type, long[] x) {
    var oracle = new FloatOracle(ConversionOracle.format(type), modifiers);
    if (type == PtxType.F32X2) {
      return oracle.apply(opcode, word(x, 0)) | oracle.apply(opcode, word(x, 32)) << 32;
    }
    if (x.length == 3 && List.of("min", "max").contains(opcode)) return extremum(opcode, modifiers, x);
    if (!isPair(type)) return oracle.apply(opcode, x);
    return oracle.apply(opcode, half(x, 0)) | oracle.apply(opcode, half(x, 16)) << 16;
  }

  /** {@code fma.oob}: a factor 7FF7 or FFF7 makes +0, as recorded on an H200. */
  private static long outOfBounds(List<String> modifiers, PtxType type, long[] x) {
    long result = 0;
    for (int shift = 0; shift < type.bits(); shift += 16) {
      long[] half = half(x, shift);
      boolean outside = (half[0] & 0x7FFF) == 0x7FF7 || (half[1] & 0x7FFF) == 0x7FF7;
      long exact = new FloatOracle(ConversionOracle.format(type), modifiers).apply("fma", half);
      result |= (outside ? 0 : exact) << shift;
    }
    return result;
  }

  /** The extremum of three FP32 numbers, or of their magnitudes. */
  private static long extremum(String opcode, List<String> modifiers, long[] x) {
    boolean magnitudes = modifiers.contains("abs");
    var oracle = new FloatOracle(Format.F32, modifiers.stream().filter(m -> !m.equals("abs")).toList());
    long[] y = LongStream.of(x).map(v -> magnitudes ? Format.F32.magnitude(v) : v).toArray();
    return oracle.apply(opcode, new long[] {oracle.apply(opcode, new long[] {y[0], y[1]}), y[2]});
  }

  /** Arithmetic of FP32 whose operands, but for the last, are given in a narrower format. */
  private static long mixed(String opcode, List<String> modifiers, Format narrow, long[] x) {
    var widen = new ConversionOracle(List.of());
    long[] wide = x.clone();
    for (int i = 0; i < x.length - 1; i++) wide[i] = widen.toFloat(Format.F32, narrow, x[i]);
    return new FloatOracle(Format.F32, modifiers).apply(opcode, wide);
  }

  private static long shorts(String opcode, List<String> modifiers, PtxType type, long[] x) {
    long result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
      long field = new IntegerOracle(type, List.of()).apply(opcode, half(x, shift));
      if (modifiers.contains("relu") && (short) field < 0) field = 0;
      result |= (field & 0xFFFF) << shift;
    }
    return result;
  }

  private static long[] word(long[] x, int shift) {
    return LongStream.of(x).map(v -> v >>> shift & 0xFFFF_FFFFL).toArray();
  }

  private static long[] half(long[] x, int shift) {
    return LongStream.of(x).map(v -> v >>> shift & 0xFFFF).toArray();
  }

  private static long convert(List<String> modifiers, List<PtxType> types, long[] x) {
    var small = SmallConversionOracle.of(modifiers);
    if (small.isPresent()) return small.get().convert(x);
    var oracle = new ConversionOracle(modifiers);
    if (modifiers.contains("tf32") && !modifiers.contains("rna")) {
      return oracle.toFloat(Format.TF32, Format.F32, x[0]) << 13;
    }
    if (modifiers.contains("tf32")) {
      if (Format.F32.isNan(x[0]) || Format.F32.isInfinite(x[0])) return x[0] & -1L << 13;
      return oracle.toFloat(Format.TF32, Format.F32, x[0]) << 13;
    }
    var to = types.getFirst();
    if (!isPair(to)) return oracle.convert(to, types.getLast(), x[0]);
    var format = ConversionOracle.format(to);
    return oracle.toFloat(format, Format.F32, x[0]) << 16 | oracle.toFloat(format, Format.F32, x[1]);
  }

  private static long compare(String opcode, List<String> modifiers, List<PtxType> types, PtxType type, long[] x) {
    if (isPair(type)) {
      long low = truth(types.getFirst(), holds(modifiers, type, half(x, 0)));
      return low & 0xFFFF | (truth(types.getFirst(), holds(modifiers, type, half(x, 16))) & 0xFFFF) << 16;
    }
    boolean holds = holds(modifiers, type, x);
    return opcode.equals("setp") ? holds ? 1 : 0 : truth(types.getFirst(), holds);
  }

  private static long truth(PtxType type, boolean holds) {
    if (!holds) return 0;
    return ConversionOracle.isFloat(type)
        ? ConversionOracle.format(type).round(Fraction.ONE, false, Format.Rounding.ZERO) : -1;
  }

  private static boolean holds(List<String> modifiers, PtxType type, long[] x) {
    var operator = modifiers.getFirst();
    if (ConversionOracle.isFloat(type)) {
      return new FloatOracle(ConversionOracle.format(type), modifiers).compare(operator, x[0], x[1]);
    }
    return FloatOracle.holds(operator,
        ConversionOracle.integer(type, x[0]).compareTo(ConversionOracle.integer(type, x[1])));
  }
}
