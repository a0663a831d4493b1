package tilewright.simulator.oracle;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.ptx.PtxType;

/** What an arithmetic instruction gives for one thread's operands, by definition. */
final class Oracle {
  private Oracle() {}

  /** Whether a form is defined here: approximations are the hardware's own. */
  static boolean defines(List<String> modifiers) {
    return Stream.of("approx", "full").noneMatch(modifiers::contains);
  }

  /** The result's bits, not yet cut to the width of a register; a predicate is 0 or 1. */
  static long apply(String opcode, List<String> modifiers, long... x) {
    var types = modifiers.stream().map(PtxType::parse).flatMap(java.util.Optional::stream).toList();
    var type = types.isEmpty() ? PtxType.B32 : types.getLast();
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
    if (!isPair(type)) return oracle.apply(opcode, x);
    return oracle.apply(opcode, half(x, 0)) | oracle.apply(opcode, half(x, 16)) << 16;
  }

  private static long[] half(long[] x, int shift) {
    return LongStream.of(x).map(v -> v >>> shift & 0xFFFF).toArray();
  }

  private static long convert(List<String> modifiers, List<PtxType> types, long[] x) {
    var small = SmallConversionOracle.of(modifiers);
    if (small.isPresent()) return small.get().convert(x);
    var oracle = new ConversionOracle(modifiers);
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
