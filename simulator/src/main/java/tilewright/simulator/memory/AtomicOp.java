package tilewright.simulator.memory;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.ptx.PtxType;

/** The operation of an atomic instruction on the value in memory. */
public enum AtomicOp {
  ADD, MIN_S, MIN_U, MAX_S, MAX_U, AND, OR, XOR, EXCH, CAS, INC, DEC, ADD_F32, ADD_F64, ADD_F16,
  ADD_BF16, ADD_F16X2, ADD_BF16X2,
  MIN_F16, MAX_F16, MIN_BF16, MAX_BF16, MIN_F16X2, MAX_F16X2, MIN_BF16X2, MAX_BF16X2;

  private static final AtomicOp[] ALL = values();

  public static AtomicOp at(int code) {
    return ALL[code];
  }

  /** The PTX names of the operations. */
  public static Set<String> names() {
    return Arrays.stream(ALL).map(op -> op.name().toLowerCase(java.util.Locale.ROOT).split("_")[0])
        .collect(Collectors.toSet());
  }

  /** The operation of that PTX name on that type, if it exists. */
  public static Optional<AtomicOp> of(String name, PtxType type) {
    boolean integer = Set.of(PtxType.U32, PtxType.S32, PtxType.B32, PtxType.U64, PtxType.S64, PtxType.B64)
        .contains(type);
    boolean signed = type == PtxType.S32 || type == PtxType.S64;
    return switch (name) {
      case "add" -> switch (type) {
        case F32 -> Optional.of(ADD_F32);
        case F64 -> Optional.of(ADD_F64);
        case F16 -> Optional.of(ADD_F16);
        case BF16 -> Optional.of(ADD_BF16);
        case F16X2 -> Optional.of(ADD_F16X2);
        case BF16X2 -> Optional.of(ADD_BF16X2);
        default -> integer ? Optional.of(ADD) : Optional.empty();
      };
      case "min" -> switch (type) {
        case F16 -> Optional.of(MIN_F16);
        case BF16 -> Optional.of(MIN_BF16);
        case F16X2 -> Optional.of(MIN_F16X2);
        case BF16X2 -> Optional.of(MIN_BF16X2);
        default -> integer ? Optional.of(signed ? MIN_S : MIN_U) : Optional.empty();
      };
      case "max" -> switch (type) {
        case F16 -> Optional.of(MAX_F16);
        case BF16 -> Optional.of(MAX_BF16);
        case F16X2 -> Optional.of(MAX_F16X2);
        case BF16X2 -> Optional.of(MAX_BF16X2);
        default -> integer ? Optional.of(signed ? MAX_S : MAX_U) : Optional.empty();
      };
      case "and" -> integer ? Optional.of(AND) : Optional.empty();
      case "or" -> integer ? Optional.of(OR) : Optional.empty();
      case "xor" -> integer ? Optional.of(XOR) : Optional.empty();
      case "exch" -> integer ? Optional.of(EXCH) : Optional.empty();
      case "cas" -> integer || type == PtxType.B16 ? Optional.of(CAS) : Optional.empty();
      case "inc" -> type == PtxType.U32 ? Optional.of(INC) : Optional.empty();
      case "dec" -> type == PtxType.U32 ? Optional.of(DEC) : Optional.empty();
      default -> Optional.empty();
    };
  }
}
