package tilewright.simulator.compiler.function;

import tilewright.ptx.Instruction;
import tilewright.simulator.core.MemoryOrder;

/** The instructions at which a thread may act on others or learn of them: between two of these no schedule matters. */
final class SyncPoints {
  private SyncPoints() {}

  static boolean contains(Instruction i) {
    return switch (i.opcode()) {
      case "bar", "barrier", "mbarrier", "atom", "red", "setmaxnreg", "multimem", "clusterlaunchcontrol" -> true;
      case "ld", "st" -> MemoryOrder.of(i).strong();
      case "cp" -> i.has("mbarrier");
      case "tcgen05" -> i.has("alloc") || i.has("dealloc");
      default -> false;
    };
  }
}
