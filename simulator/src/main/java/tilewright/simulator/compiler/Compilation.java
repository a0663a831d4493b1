package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Engine;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.compiler.analysis.CarriedReads;
import tilewright.simulator.compiler.analysis.ControlFlow;
import tilewright.simulator.compiler.analysis.UsesOfLoads;
import tilewright.simulator.compiler.analysis.WgmmaChecks;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.CodeGenerator;
import tilewright.simulator.compiler.code.Liveness;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Registers;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unit;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.function.FunctionLowering;
import tilewright.simulator.compiler.module.CallGraph;
import tilewright.simulator.compiler.module.MemoryPlan;
import tilewright.simulator.compiler.module.ModuleData;
import tilewright.simulator.core.Block;
import tilewright.simulator.core.ClusterNeed;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.KernelClass;
import tilewright.simulator.sync.RegisterPool;

/** One kernel on its way from PTX to bytecode. */
final class Compilation {
  private final Function function;
  private final MemoryPlan memory;
  private final FunctionLowering front;
  private final ModuleData data;
  private final Runnable check;
  private final int target;
  private final int pressure;
  private final List<BasicBlock> blocks;
  private final Map<BasicBlock, List<Unit>> units = new HashMap<>();
  private final Registers registers = new Registers();
  private final List<Problem> problems = new ArrayList<>();

  Compilation(PtxModule module, ModuleData data, Function function, Engine.Code code, Runnable check) {
    boolean watched = code != Engine.Code.FAST;
    this.function = function;
    this.check = check;
    this.data = data;
    var graph = new CallGraph(module, data.functions(), function);
    memory = new MemoryPlan(module, data, graph, function, watched);
    front = new FunctionLowering(module, data.functions(), graph, memory, code, check);
    target = target(module);
    var lowering = front.lower(function);
    problems.addAll(front.problems());
    // Code with holes has branches to nowhere.
    blocks = problems.isEmpty() ? ControlFlow.of(lowering, check) : List.of();
    for (var b : blocks) b.joinMma();
    var reached = new BitSet();
    if (watched) {
      CarriedReads.mark(blocks, front.sites());
      reached = UsesOfLoads.insert(blocks);
      WgmmaChecks.insert(blocks);
    }
    var liveness = new Liveness(blocks, check);
    pressure = watched ? liveness.pressure(blocks, front.registers()) : 0;
    for (var b : blocks) {
      units.put(b, Unit.of(b, liveness.out(b), reached));
      registers.place(b, units.get(b));
    }
  }

  private static int target(PtxModule module) {
    var digits = module.target().replaceAll("[^0-9]", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  /** The statements that cannot be executed, complete once the code was asked for. */
  List<Problem> problems() {
    return problems;
  }

  /** The class files, if everything can be executed; each but the last has {@link CodeGenerator#BLOCKS_OF_CLASS}. */
  Optional<List<byte[]>> code() {
    if (!problems.isEmpty()) return Optional.empty();
    var classes = new ArrayList<byte[]>();
    for (int base = 0; base < blocks.size(); base += CodeGenerator.BLOCKS_OF_CLASS) {
      var some = blocks.subList(base, Math.min(blocks.size(), base + CodeGenerator.BLOCKS_OF_CLASS));
      new CodeGenerator(some, base, units, front.sites(), problems, check).generate().ifPresent(classes::add);
    }
    return problems.isEmpty() ? Optional.of(classes) : Optional.empty();
  }

  Optional<Kernel> kernel() {
    return code().map(code -> new Kernel(function.name(), KernelClass.define(code, CodeGenerator.BLOCKS_OF_CLASS),
        blocks.stream().map(this::describe).toList(), front.sites(), registers(), memoryLayout(), target,
        ClusterNeed.of(function, front.sites())));
  }

  private Kernel.Registers registers() {
    return new Kernel.Registers(registers.count(Reg.Kind.INT), registers.count(Reg.Kind.FLOAT),
        registers.count(Reg.Kind.LONG), registers.count(Reg.Kind.DOUBLE), registers.count(Reg.Kind.PREDICATE), pressure,
        RegisterPool.initial(function));
  }

  private Kernel.MemoryLayout memoryLayout() {
    return new Kernel.MemoryLayout(memory.sharedBytes(), memory.dynamicOffset(), memory.gapBytes(), memory.localBytes(),
        memory.parameterBytes(), memory.parameters(), data.variables(), memory.shared());
  }

  private Block describe(BasicBlock b) {
    var next = b.successors;
    int fallThrough = next.isEmpty() ? 0 : next.getFirst().number;
    int taken = next.size() < 2 ? fallThrough : next.get(1).number;
    int[] targets = next.stream().mapToInt(s -> s.number).toArray();
    int index = b.terminator instanceof Terminator.Indexed(var reg, var _) ? reg.slot() : 0;
    var end = switch (b.terminator) {
      case Terminator.Next _, Terminator.Goto _ -> Block.End.NEXT;
      case Terminator.Branch _ -> Block.End.BRANCH;
      case Terminator.Indexed _ -> Block.End.INDEXED;
      case Terminator.Suspend _ -> Block.End.SUSPEND;
      case Terminator.Retry _ -> Block.End.RETRY;
      case Terminator.Exit _ -> Block.End.EXIT;
    };
    var converge = b.together.map(Compilation::converge).orElse(Block.Converge.NONE);
    return new Block(end, fallThrough, taken, targets, index, b.instructions, converge, b.site,
        b.sites.stream().mapToInt(Integer::intValue).toArray(), synchronises(b));
  }

  private boolean synchronises(BasicBlock b) {
    return b.ops.stream().anyMatch(op -> op instanceof Op.Warp && front.synchronises(op.site()));
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
