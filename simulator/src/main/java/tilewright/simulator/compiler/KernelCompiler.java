package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.PtxModule;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.core.Block;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.KernelClass;

/** Compiles the kernels of a module. */
public final class KernelCompiler {
  private KernelCompiler() {}

  /** Compiles all kernels; whatever cannot be executed goes to {@code problems}. */
  public static Map<String, Kernel> compile(PtxModule module, List<Problem> problems) {
    var kernels = new HashMap<String, Kernel>();
    ModuleData data;
    try {
      data = new ModuleData(module);
    } catch (Unsupported e) {
      problems.add(new Problem(0, "module variables", e.getMessage()));
      return kernels;
    }
    for (var f : module.functions()) {
      if (!f.entry() || f.body().isEmpty()) continue;
      try {
        compile(module, data, f, problems).ifPresent(k -> kernels.put(f.name(), k));
      } catch (Unsupported e) {
        problems.add(new Problem(0, "kernel " + f.name(), e.getMessage()));
      }
    }
    return kernels;
  }

  private static Optional<Kernel> compile(PtxModule module, ModuleData data, Function function, List<Problem> problems) {
    var memory = new MemoryPlan(module, data, function);
    var front = new FunctionLowering(module, memory);
    var lowering = front.lower(function);
    problems.addAll(front.problems());
    if (!front.problems().isEmpty()) return Optional.empty();
    var blocks = ControlFlow.of(lowering);
    var liveness = new Liveness(blocks);
    var registers = new Registers();
    var units = new HashMap<BasicBlock, List<Unit>>();
    for (var b : blocks) {
      units.put(b, Unit.of(b, liveness.out(b)));
      registers.place(b, units.get(b));
    }
    var late = new ArrayList<Problem>();
    var bytes = new CodeGenerator(blocks, units, front.sites(), late).generate();
    problems.addAll(late);
    return bytes.map(code -> new Kernel(function.name(), KernelClass.define(code),
        blocks.stream().map(KernelCompiler::describe).toList(), front.sites(), registers.count(Reg.Kind.INT),
        registers.count(Reg.Kind.FLOAT), registers.count(Reg.Kind.LONG), registers.count(Reg.Kind.DOUBLE),
        registers.count(Reg.Kind.PREDICATE), memory.sharedBytes(), memory.dynamicOffset(), memory.localBytes(),
        memory.parameterBytes(), memory.parameters(), data.variables(), target(module)));
  }

  private static int target(PtxModule module) {
    var digits = module.target().replaceAll("[^0-9]", "");
    return digits.isEmpty() ? 80 : Integer.parseInt(digits);
  }

  private static Block describe(BasicBlock b) {
    var next = b.successors;
    int fallThrough = next.isEmpty() ? 0 : next.getFirst().number;
    int taken = next.size() < 2 ? fallThrough : next.get(1).number;
    var converge = b.together.map(KernelCompiler::converge).orElse(Block.Converge.NONE);
    int[] targets = next.stream().mapToInt(s -> s.number).toArray();
    return switch (b.terminator) {
      case Terminator.Next _, Terminator.Goto _ -> block(b, Block.End.NEXT, fallThrough, taken, targets, 0, converge);
      case Terminator.Branch _ -> block(b, Block.End.BRANCH, fallThrough, taken, targets, 0, converge);
      case Terminator.Indexed(var index, var _) ->
          block(b, Block.End.INDEXED, fallThrough, taken, targets, index.slot(), converge);
      case Terminator.Suspend _ -> block(b, Block.End.SUSPEND, fallThrough, taken, targets, 0, converge);
      case Terminator.Retry _ -> block(b, Block.End.RETRY, fallThrough, taken, targets, 0, converge);
      case Terminator.Exit _ -> block(b, Block.End.EXIT, fallThrough, taken, targets, 0, converge);
    };
  }

  private static Block block(BasicBlock b, Block.End end, int next, int taken, int[] targets, int index, Block.Converge converge) {
    return new Block(end, next, taken, targets, index, b.instructions, converge, b.site);
  }

  private static Block.Converge converge(Source mask) {
    return switch (mask) {
      case Source.Register(var reg) -> new Block.Converge(reg.slot(), 0);
      case Source.Constant(long bits, var _) when bits == 0 -> Block.Converge.NONE;
      case Source.Constant(long bits, var _) -> new Block.Converge(-1, (int) bits);
      default -> throw new Unsupported("a member mask that is neither register nor constant");
    };
  }
}
