package tilewright.simulator.compiler.function;

import java.util.List;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.simulator.compiler.arithmetic.BitLowering;
import tilewright.simulator.compiler.arithmetic.CarryLowering;
import tilewright.simulator.compiler.arithmetic.ConversionLowering;
import tilewright.simulator.compiler.arithmetic.FloatLowering;
import tilewright.simulator.compiler.arithmetic.IntegerLowering;
import tilewright.simulator.compiler.arithmetic.MoveLowering;
import tilewright.simulator.compiler.arithmetic.PredicateLowering;
import tilewright.simulator.compiler.arithmetic.SimdLowering;
import tilewright.simulator.compiler.arithmetic.VideoLowering;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.compiler.matrix.MmaLowering;
import tilewright.simulator.compiler.matrix.TensorLowering;
import tilewright.simulator.compiler.matrix.WgmmaLowering;
import tilewright.simulator.compiler.matrix.WmmaLowering;
import tilewright.simulator.compiler.memory.AddressLowering;
import tilewright.simulator.compiler.memory.AsyncLowering;
import tilewright.simulator.compiler.memory.AsyncStoreLowering;
import tilewright.simulator.compiler.memory.ClusterLaunchLowering;
import tilewright.simulator.compiler.memory.MemoryLowering;
import tilewright.simulator.compiler.memory.MultimemLowering;
import tilewright.simulator.compiler.memory.StackLowering;
import tilewright.simulator.compiler.memory.SyncLowering;
import tilewright.simulator.compiler.memory.TensorMapLowering;
import tilewright.simulator.compiler.memory.WarpLowering;

/** Finds the lowering of an instruction by its opcode. */
final class InstructionLowering {
  private InstructionLowering() {}

  /** @param tables branch tables by name, with their labels */
  static void lower(Instruction i, Lowering c, Map<String, List<String>> tables) {
    var m = new Modifiers(i);
    if (AsyncStoreLowering.handles(i)) {
      AsyncStoreLowering.lower(i, m, c);
      return;
    }
    switch (i.opcode()) {
      case "add", "sub", "mul", "mad", "min", "max", "abs", "neg", "div" -> {
        if (CarryLowering.handles(i)) {
          CarryLowering.lower(i, m, c);
        } else if (i.type().map(FloatLowering::isFloat).orElse(false)) {
          FloatLowering.lower(i, m, c);
        } else {
          IntegerLowering.lower(i, m, c);
        }
      }
      case "addc", "subc", "madc" -> CarryLowering.lower(i, m, c);
      case "fma", "copysign", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh" ->
          FloatLowering.lower(i, m, c);
      case "mul24", "mad24", "rem", "sad", "dp4a", "dp2a" -> IntegerLowering.lower(i, m, c);
      case "and", "or", "xor", "not", "cnot", "shl", "shr", "shf", "bfe", "bfi", "bfind", "popc", "clz", "brev", "prmt",
          "lop3", "szext", "bmsk", "fns" -> BitLowering.lower(i, m, c);
      case "vadd2", "vadd4", "vsub2", "vsub4", "vavrg2", "vavrg4", "vabsdiff2", "vabsdiff4", "vmin2", "vmin4", "vmax2",
          "vmax4", "vset2", "vset4" -> SimdLowering.lower(i, m, c);
      case "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr", "vmad" -> VideoLowering.lower(i, m, c);
      case "setp", "set", "selp", "slct", "testp" -> PredicateLowering.lower(i, m, c);
      case "cvt" -> ConversionLowering.lower(i, m, c);
      case "mov" -> MoveLowering.lower(i, m, c);
      case "cvta", "isspacep", "mapa", "getctarank" -> AddressLowering.lower(i, m, c);
      case "ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu", "discard", "applypriority", "createpolicy" ->
          MemoryLowering.lower(i, m, c);
      case "multimem" -> MultimemLowering.lower(i, c);
      case "cp" -> AsyncLowering.lower(i, m, c);
      case "tensormap" -> TensorMapLowering.lowerMap(i, m, c);
      case "mma" -> MmaLowering.lower(i, m, c);
      case "tcgen05" -> TensorLowering.lower(i, m, c);
      case "wmma" -> WmmaLowering.lower(i, m, c);
      case "wgmma" -> WgmmaLowering.lower(i, m, c);
      case "shfl", "vote", "activemask", "redux", "match", "elect", "ldmatrix", "stmatrix", "movmatrix" ->
          WarpLowering.lower(i, m, c);
      case "bar", "barrier", "membar", "fence", "mbarrier", "nanosleep", "griddepcontrol", "setmaxnreg", "pmevent",
          "trap", "brkpt" -> SyncLowering.lower(i, m, c);
      case "clusterlaunchcontrol" -> ClusterLaunchLowering.lower(i, m, c);
      case "alloca", "stacksave", "stackrestore" -> StackLowering.lower(i, m, c);
      case "bra", "brx", "ret", "exit" -> ControlLowering.lower(i, m, c, tables);
      case "tex", "tld4", "txq", "suld", "sust", "sured", "suq" ->
          throw new Unsupported("textures and surfaces are not simulated: read the array through a pointer");
      default -> throw new Unsupported("unknown instruction");
    }
  }
}
