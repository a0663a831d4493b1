package tilewright.simulator.oracle;

import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;

/** Shuffles and votes of a full warp (PTX ISA, shfl.sync and vote.sync). */
record Collective(Interpreter.Code code, List<ThreadState> lanes) {

  /** Performs the instruction that all lanes wait at, if they wait at one. */
  void meet() {
    if (lanes.stream().anyMatch(t -> t.finished || t.next != lanes.getFirst().next)) return;
    var i = code.at(lanes.getFirst());
    if (i.opcode().equals("bar")) return;
    if (i.opcode().equals("shfl")) shuffle(i);
    else vote(i);
    lanes.forEach(t -> t.next++);
  }

  private void shuffle(Instruction i) {
    var operands = i.operands();
    long[] values = lanes.stream().mapToLong(t -> t.read(operands.get(1))).toArray();
    for (int lane = 0; lane < lanes.size(); lane++) {
      var thread = lanes.get(lane);
      int by = (int) thread.read(operands.get(2)) & 31;
      int control = (int) thread.read(operands.get(3));
      int segment = control >>> 8 & 31;
      int most = lane & segment | control & 31 & ~segment;
      int source = switch (i.modifiers().get(1)) {
        case "up" -> lane - by;
        case "down" -> lane + by;
        case "bfly" -> lane ^ by;
        default -> lane & segment | by & ~segment;
      };
      boolean inRange = i.has("up") ? source >= most : source <= most;
      long value = values[inRange ? source : lane];
      if (operands.getFirst() instanceof Operand.Pair(var to, var valid)) {
        thread.write(to, value);
        thread.write(valid, inRange ? 1 : 0);
      } else {
        thread.write(operands.getFirst(), value);
      }
    }
  }

  private void vote(Instruction i) {
    long ballot = 0;
    for (int lane = 0; lane < lanes.size(); lane++) ballot |= lanes.get(lane).read(i.operands().get(1)) << lane;
    long full = 0xFFFF_FFFFL;
    long result = switch (i.modifiers().get(1)) {
      case "any" -> ballot != 0 ? 1 : 0;
      case "all" -> ballot == full ? 1 : 0;
      case "uni" -> ballot == full || ballot == 0 ? 1 : 0;
      default -> ballot;
    };
    lanes.forEach(t -> t.write(i.operands().getFirst(), result));
  }
}
