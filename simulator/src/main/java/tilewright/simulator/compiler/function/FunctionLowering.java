package tilewright.simulator.compiler.function;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.OperandTypes;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;
import tilewright.simulator.Engine;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.compiler.code.MachineMethod;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.TooLarge;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.memory.WarpLowering;
import tilewright.simulator.compiler.module.CallGraph;
import tilewright.simulator.compiler.module.Calls;
import tilewright.simulator.compiler.module.MemoryPlan;
import tilewright.simulator.compiler.module.Mentions;
import tilewright.simulator.compiler.module.ModuleFunctions;
import tilewright.simulator.compiler.module.Scope;
import tilewright.simulator.core.Site;

/** Lowers a kernel's body, statement by statement, and collects what cannot be executed. */
public final class FunctionLowering {
  /** The sanitizer tells kernels apart by the bits above (see MOST_SITES of its Shadow). */
  private static final int MOST_SITES = (1 << 21) - 2;

  private final Map<Integer, String> files = new HashMap<>();
  private final List<Site> sites = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, List<String>> tables = new HashMap<>();
  private final MemoryPlan memory;
  private final Runnable check;
  private final Lowering lowering;
  private final CallLowering calls;
  private final boolean stepwise;
  /** Sites of instructions at which threads synchronise. */
  private final BitSet synchronising = new BitSet();
  private String source = "";
  private Mentions mentions = new Mentions(List.of());

  public FunctionLowering(PtxModule module, ModuleFunctions functions, CallGraph graph, MemoryPlan memory,
      Engine.Code code, Runnable check) {
    stepwise = code == Engine.Code.STEPWISE;
    this.check = check;
    for (var item : module.items()) {
      if (item instanceof PtxModule.SourceFile(int index, var path)) {
        files.put(index, path.substring(path.lastIndexOf('/') + 1));
      }
    }
    this.memory = memory;
    lowering = new Lowering(memory, new Scope(Optional.empty()), code != Engine.Code.FAST);
    calls = new CallLowering(functions, graph, memory, lowering, this::body);
  }

  public Lowering lower(Function kernel) {
    calls.begin();
    body(kernel.body().orElse(List.of()));
    int end = site(kernel);
    lowering.begin(end, Optional.empty());
    lowering.end(new Terminator.Exit());
    try {
      calls.functions(end);
    } catch (Unsupported e) {
      problems.add(e.problem(kernel.line(), "functions called by " + kernel.name()));
    }
    return lowering;
  }

  private int site(Function kernel) {
    sites.add(Site.end(kernel.name()));
    return sites.size() - 1;
  }

  /** All registers, by their id. */
  public List<Reg> registers() {
    return lowering.registers();
  }

  public List<Site> sites() {
    return sites;
  }

  /** Whether threads synchronise at a site; only known of stepwise code. */
  public boolean synchronises(int site) {
    return synchronising.get(site);
  }

  public List<Problem> problems() {
    return problems;
  }

  /** The body of the kernel, or of a function that it calls. */
  private void body(List<Statement> statements) {
    var outer = mentions;
    mentions = new Mentions(statements);
    block(statements);
    mentions = outer;
  }

  private void block(List<Statement> statements) {
    for (var s : statements) {
      if (s instanceof Statement.Label(var name)) lowering.scope().declareLabel(name, lowering.freshLabel(name));
    }
    for (var s : statements) {
      switch (s) {
        case Statement.Label(var name) -> lowering.label(lowering.scope().label(name));
        case Statement.Registers r -> declare(r);
        case Statement.Block(var inner) -> {
          var outer = lowering.scope();
          lowering.enter(outer.inner());
          block(inner);
          lowering.enter(outer);
        }
        case Statement.Location(int file, int line, int _) -> source = files.getOrDefault(file, "file " + file) + ":"
            + line;
        case Statement.BranchTargets(var name, var labels) -> tables.put(name, labels);
        case Statement.CallPrototype prototype -> calls.declare(prototype);
        case Statement.CallTargets targets -> calls.declare(targets);
        case Variable v -> lowering.scope().declare(v.name(), memory.declared(v, calls.frame()));
        case Instruction i -> instruction(i);
        case Statement.Comment _, Statement.Pragma _ -> {}
      }
    }
  }

  private void declare(Statement.Registers r) {
    if (r.count() == 0) {
      declare(r.name(), r);
    } else {
      for (int k : mentions.of(r.name(), r.count())) declare(r.name() + k, r);
    }
  }

  private void declare(String name, Statement.Registers r) {
    if (r.vector() == 1) {
      declare(name, r.type());
    } else {
      for (int k = 0; k < r.vector(); k++) declare(name + "." + "xyzw".charAt(k), r.type());
    }
  }

  private void declare(String name, PtxType type) {
    if (type == PtxType.B128) {
      lowering.scope().declareWide(name, register(PtxType.B64), register(PtxType.B64));
    } else {
      lowering.scope().declare(name, register(type));
    }
  }

  private Reg register(PtxType type) {
    var register = lowering.temp(type);
    calls.declare(register);
    return register;
  }

  private void instruction(Instruction i) {
    check.run();
    if (sites.size() == MOST_SITES) {
      throw new TooLarge("it has more than " + MOST_SITES + " instructions, with those of the functions that it calls");
    }
    sites.add(Site.of(i, PtxPrinter.print(i), source));
    int site = sites.size() - 1;
    try {
      var guard = i.guard().map(g -> new Op.Guard(lowering.scope().register(g.predicate()), g.negated()));
      OperandTypes.violation(i, lowering.scope()::type).ifPresent(wrong -> {
        throw new Unsupported(wrong);
      });
      guard.ifPresent(g -> MachineMethod.requirePredicate(g.predicate()));
      if (stepwise && SyncPoints.contains(i)) {
        synchronising.set(site);
        lowering.label(lowering.freshLabel("step"));
      }
      lowering.begin(site, guard);
      if (guard.isPresent() && (WarpLowering.CONVERGENT.contains(i.opcode()) || i.opcode().equals("call"))) {
        // Lanes without the guard go around, so that only those with it meet here.
        var after = lowering.freshLabel("skip");
        lowering.end(new Terminator.Branch(guard.get().inverse(), after));
        lowering.unguard();
        lower(i);
        lowering.label(after);
      } else {
        lower(i);
      }
    } catch (Unsupported e) {
      problems.add(e.problem(i.line(), PtxPrinter.print(i)));
    }
  }

  private void lower(Instruction i) {
    if (i.opcode().equals("call")) {
      calls.call(Calls.of(i));
    } else {
      InstructionLowering.lower(i, lowering, tables);
    }
  }
}
