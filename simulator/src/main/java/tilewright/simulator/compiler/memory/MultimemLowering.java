package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/**
 * {@code multimem} on one device (PTX ISA, multimem): a multicast object of one GPU has one replica, so that reducing
 * its values gives the one value, and storing to all stores to the one.
 */
public final class MultimemLowering {
  private static final Set<String> OPERATIONS = Set.of("add", "min", "max", "and", "or", "xor");
  private static final Set<String> HALVES = Set.of("f16", "bf16", "e4m3x2", "e5m2x2");
  private static final Set<String> WORDS = Set.of("f16x2", "bf16x2", "e4m3x4", "e5m2x4");

  private MultimemLowering() {}

  public static void lower(Instruction i, Lowering c) {
    if (i.modifiers().isEmpty()) throw new Unsupported("no operation is named");
    var kind = i.modifiers().getFirst();
    var modifiers = new ArrayList<>(i.modifiers().subList(1, i.modifiers().size()));
    switch (kind) {
      case "ld_reduce" -> {
        if (!modifiers.removeIf(OPERATIONS::contains)) throw new Unsupported("ld_reduce without operation");
        modifiers.removeIf(m -> m.startsWith("acc::"));
        memory(i, "ld", modifiers, c);
      }
      case "st" -> memory(i, "st", modifiers, c);
      case "red" -> {
        var plain = with(i, "red", modifiers);
        AtomicLowering.lower(plain, new Modifiers(plain), c);
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  private static void memory(Instruction i, String opcode, List<String> modifiers, Lowering c) {
    var types = modifiers.stream().map(m -> HALVES.contains(m) ? "b16" : WORDS.contains(m) ? "b32" : m).toList();
    var plain = with(i, opcode, types);
    MemoryLowering.lower(plain, new Modifiers(plain), c);
  }

  private static Instruction with(Instruction i, String opcode, List<String> modifiers) {
    return new Instruction(i.guard(), opcode, modifiers, i.operands(), i.line());
  }
}
