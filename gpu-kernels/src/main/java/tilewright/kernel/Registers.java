package tilewright.kernel;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/** The virtual registers of a kernel, numbered bank by bank. */
final class Registers {
  private final Map<PtxType, Integer> counts = new EnumMap<>(PtxType.class);

  /** A fresh register for a value of a type. */
  Operand.Register next(PtxType type) {
    return inBank(bank(type));
  }

  /** A fresh register of a bank. */
  Operand.Register inBank(PtxType bank) {
    int index = counts.merge(bank, 1, Integer::sum) - 1;
    return new Operand.Register(prefix(bank) + index);
  }

  List<Statement> declarations() {
    return counts.entrySet().stream()
        .<Statement>map(e -> new Statement.Registers(e.getKey(), prefix(e.getKey()), e.getValue())).toList();
  }

  private static PtxType bank(PtxType type) {
    return switch (type) {
      case PRED, F32, F64, B128 -> type;
      default -> switch (type.bits()) {
        case 8, 16 -> PtxType.B16;
        case 32 -> PtxType.B32;
        default -> PtxType.B64;
      };
    };
  }

  private static String prefix(PtxType bank) {
    return switch (bank) {
      case PRED -> "%p";
      case F32 -> "%f";
      case F64 -> "%fd";
      case B8 -> "%b";
      case B16 -> "%h";
      case B32 -> "%r";
      case B128 -> "%rq";
      default -> "%rd";
    };
  }
}
