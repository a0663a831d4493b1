package tilewright.simulator.compiler.matrix;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.tcgen05.TensorMma;
import tilewright.simulator.tmem.MmaKind;

/** {@code tcgen05.mma} in all its forms (PTX ISA, tcgen05.mma, .sp, .ws). */
final class TensorMmaLowering {
  private static final Pattern COLLECTOR = Pattern.compile("collector::(a|b[0-3])::(fill|use|lastuse|discard)");
  private static final Map<String, Integer> USAGES = Map.of("fill", TensorMma.FILL, "use", TensorMma.USE, "lastuse",
      TensorMma.LAST_USE, "discard", TensorMma.DISCARD);
  private static final int MOST_SCALE = 15;
  private static final int NO_BUFFER = 0;

  private TensorMmaLowering() {}

  private record Form(MmaKind kind, int group, int flags, int scales, int buffer, int usage) {
    boolean has(int flag) {
      return (flags & flag) != 0;
    }
  }

  static void lower(Instruction i, Modifiers m, Lowering c) {
    var form = form(m);
    m.requireNone();
    var rest = new java.util.ArrayList<>(i.operands());
    c.warp(TensorMma.class, "begin", List.of(), List.of(), value(form.kind().ordinal()), value(form.group()),
        value(form.flags()), value(form.scales()));
    place("d", take(rest), c);
    a(take(rest), form, c);
    descriptor("b", take(rest), c);
    if (form.has(TensorMma.SPARSE)) place("metadata", take(rest), c);
    var descriptor = c.inRegister(take(rest), PtxType.B32);
    if (form.scales() > 0) {
      place("aScales", take(rest), c);
      place("bScales", take(rest), c);
    }
    boolean plain = form.scales() == 0 && !form.has(TensorMma.WEIGHT_STATIONARY);
    if (plain && !rest.isEmpty() && rest.getFirst() instanceof Operand.Vector(var elements)) {
      rest.removeFirst();
      disable(elements, form, c);
    }
    var enable = c.inRegister(take(rest), PtxType.PRED);
    int scale = plain && !rest.isEmpty() ? scale(take(rest), form) : 0;
    if (form.has(TensorMma.WEIGHT_STATIONARY) && !rest.isEmpty()) descriptor("zeroColumns", take(rest), c);
    if (!rest.isEmpty()) throw new Unsupported(i.operands().size() + " operands are more than the form has");
    c.warp(TensorMma.class, "issue", List.of(descriptor, enable), List.of(), new Op.Argument.Lanes(descriptor),
        new Op.Argument.Slot(enable), value(scale), value(form.buffer()), value(form.usage()), value(c.site()));
  }

  private static Op.Argument value(int value) {
    return new Op.Argument.IntValue(value);
  }

  private static Form form(Modifiers m) {
    int flags = (m.take("ws") ? TensorMma.WEIGHT_STATIONARY : 0) | (m.take("sp") ? TensorMma.SPARSE : 0);
    int group = TensorLowering.group(m);
    var kind = m.takeFirst(x -> x.startsWith("kind::") ? MmaKind.parse(x.substring(6)) : java.util.Optional.empty())
        .orElseThrow(() -> new Unsupported("tcgen05.mma needs a kind"));
    if (m.take("ashift")) flags |= TensorMma.SHIFTED;
    int scales = scales(kind, m);
    int buffer = NO_BUFFER;
    int usage = TensorMma.DISCARD;
    var collector = m.takeMatching(COLLECTOR);
    if (collector.isPresent()) {
      var matcher = COLLECTOR.matcher(collector.get());
      matcher.matches();
      boolean ofA = matcher.group(1).equals("a");
      if (ofA == ((flags & TensorMma.WEIGHT_STATIONARY) != 0)) {
        throw new Unsupported("collector::" + matcher.group(1) + " does not exist for this form");
      }
      buffer = ofA ? NO_BUFFER : 1 + matcher.group(1).charAt(1) - '0';
      usage = USAGES.get(matcher.group(2));
    } else if ((flags & TensorMma.WEIGHT_STATIONARY) != 0) {
      buffer = 1;
    }
    if ((flags & TensorMma.SHIFTED) != 0 && (usage == TensorMma.FILL || usage == TensorMma.USE)) {
      throw new Unsupported(".ashift cannot fill or use a collector buffer");
    }
    return new Form(kind, group, flags, scales, buffer, usage);
  }

  /** Scales of a row; 0 for kinds without. */
  private static int scales(MmaKind kind, Modifiers m) {
    if (!kind.scaled()) return 0;
    m.require("block_scale");
    var size = m.takeFirst(x -> java.util.Optional.ofNullable(switch (x) {
      case "scale_vec::1X" -> 1;
      case "scale_vec::2X" -> 2;
      case "scale_vec::4X", "block16" -> 4;
      case "block32" -> kind == MmaKind.MXF8F6F4 ? 1 : 2;
      default -> null;
    }));
    boolean known = switch (kind) {
      case MXF8F6F4 -> size.orElse(1) == 1;
      case MXF4 -> size.orElse(2) == 2;
      default -> size.isPresent() && size.get() != 1;
    };
    if (!known) throw new Unsupported("kind::" + kind.text() + " does not have that many scales");
    return size.orElse(kind == MmaKind.MXF8F6F4 ? 1 : 2);
  }

  private static Operand take(List<Operand> rest) {
    if (rest.isEmpty()) throw new Unsupported("the form has more operands");
    return rest.removeFirst();
  }

  private static void place(String method, Operand operand, Lowering c) {
    var place = TensorLowering.Place.of(operand, c);
    c.warp(TensorMma.class, method, List.of(place.reg()), List.of(), new Op.Argument.Lanes(place.reg()),
        value(place.displacement()));
  }

  private static void descriptor(String method, Operand operand, Lowering c) {
    var bits = c.inRegister(operand, PtxType.B64);
    c.warp(TensorMma.class, method, List.of(bits), List.of(), new Op.Argument.Lanes(bits));
  }

  private static void a(Operand operand, Form form, Lowering c) {
    if (operand instanceof Operand.Address) {
      place("a", operand, c);
    } else if (form.has(TensorMma.SHIFTED)) {
      throw new Unsupported(".ashift needs A in tensor memory");
    } else {
      descriptor("a", operand, c);
    }
  }

  private static void disable(List<Operand> words, Form form, Lowering c) {
    if (words.size() != 4 * form.group()) {
      throw new Unsupported("disable-output-lane has " + words.size() + " words, but needs " + 4 * form.group());
    }
    for (var word : words) {
      var lanes = c.inRegister(word, PtxType.B32);
      c.warp(TensorMma.class, "disable", List.of(lanes), List.of(), new Op.Argument.Lanes(lanes));
    }
  }

  private static int scale(Operand operand, Form form) {
    boolean known = form.kind() == MmaKind.F16 || form.kind() == MmaKind.TF32 || form.kind() == MmaKind.I8;
    if (!known || !(operand instanceof Operand.Integer(long value)) || value < 0 || value > MOST_SCALE) {
      throw new Unsupported("scale-input-d must be a constant from 0 to 15, and the kind f16 or tf32");
    }
    return (int) value;
  }
}
