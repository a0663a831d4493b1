package tilewright.simulator.compiler;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Video;

/** Video instructions on one value: {@code vadd} to {@code vmad} (PTX ISA, Scalar Video Instructions). */
final class VideoLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> L = long.class;
  private static final Pattern SELECTED = Pattern.compile("(.+)\\.(b[0-3]|h[01])");
  private static final Set<String> COMPARISONS = Set.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final Set<String> DIFFERENT = Set.of("sat", "min", "max", "shr7", "shr15");
  private static final Set<PtxType> WORDS = Set.of(PtxType.U32, PtxType.S32);

  private VideoLowering() {}

  /** An operand, the piece of it that is meant, and whether that is signed. */
  private record Selected(Operand operand, Video.Part part, boolean signed) {
    static Selected of(Operand operand, PtxType type) {
      var match = name(operand).map(SELECTED::matcher).filter(Matcher::matches);
      boolean signed = LaneCode.isSigned(type);
      if (match.isEmpty()) return new Selected(operand, Video.Part.WORD, signed);
      var part = Video.Part.valueOf(match.get().group(2).toUpperCase(Locale.ROOT));
      return new Selected(new Operand.Register(match.get().group(1)), part, signed);
    }

    void push(LaneCode code, Source source) {
      code.push(source, PtxType.B32).b.loadConstant(part.ordinal()).loadConstant(signed ? 1 : 0);
      code.call(Video.class, "part", L, I, I, boolean.class);
    }
  }

  private static Optional<String> name(Operand operand) {
    return switch (operand) {
      case Operand.Register(var name) -> Optional.of(name);
      case Operand.Symbol(var name) -> Optional.of(name);
      default -> Optional.empty();
    };
  }

  private static PtxType word(Modifiers m) {
    var type = m.type();
    if (!WORDS.contains(type)) throw new Unsupported("a video instruction of " + type.text());
    return type;
  }

  static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean merges = name(c.operands(i, 3, 4).getFirst()).map(n -> SELECTED.matcher(n).matches()).orElse(false);
    if (merges || m.takeOne(DIFFERENT).isPresent()) {
      throw new Unsupported("a video instruction that saturates, selects, shifts or merges its result: GPUs do not "
          + "give what the PTX ISA defines; use plain instructions");
    }
    boolean compares = i.opcode().equals("vset");
    if (!compares) word(m);
    var typeA = word(m);
    var typeB = word(m);
    boolean multiplies = i.opcode().equals("vmad");
    boolean accumulates = m.take("add") || multiplies;
    var operation = multiplies ? Optional.<Video.Operation>empty() : Optional.of(operation(i, m, compares));
    boolean plusOne = multiplies && m.take("po");
    m.requireNone();
    var operands = c.operands(i, accumulates ? 4 : 3);
    var a = Selected.of(operands.get(1), typeA);
    var b = Selected.of(operands.get(2), typeB);
    var sources = List.of(c.source(a.operand()), c.source(b.operand()),
        accumulates ? c.source(operands.get(3)) : Source.of(0));
    var to = c.destination(operands.getFirst(), PtxType.B32);
    c.lane(sources, List.of(to), code -> {
      a.push(code, sources.get(0));
      b.push(code, sources.get(1));
      operation.ifPresentOrElse(o -> {
        code.b.loadConstant(o.ordinal());
        code.call(Video.class, "apply", I, L, L, I);
      }, () -> code.b.lmul().l2i());
      if (accumulates) code.push(sources.get(2), PtxType.B32).b.iadd();
      if (plusOne) code.b.iconst_1().iadd();
      code.pop(to, PtxType.B32);
    });
  }

  private static Video.Operation operation(Instruction i, Modifiers m, boolean compares) {
    var name = compares ? m.takeOne(COMPARISONS).orElseThrow(() -> new Unsupported("vset without comparison"))
        : i.opcode();
    if (name.equals("vshl") || name.equals("vshr")) {
      if (m.take("wrap")) {
        name += "_wrap";
      } else {
        m.require("clamp");
      }
    }
    return Video.Operation.valueOf(name.toUpperCase(Locale.ROOT));
  }
}
