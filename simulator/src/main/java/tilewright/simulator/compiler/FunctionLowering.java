package tilewright.simulator.compiler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.core.Site;

/** Lowers a kernel's body, statement by statement, and collects what cannot be executed. */
final class FunctionLowering {
  private final Map<Integer, String> files = new HashMap<>();
  private final List<Site> sites = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, List<String>> tables = new HashMap<>();
  private final MemoryPlan memory;
  private final Lowering lowering;
  private final Deque<String> active = new ArrayDeque<>();
  private final PtxModule module;
  private String source = "";

  FunctionLowering(PtxModule module, MemoryPlan memory, boolean watched) {
    for (var item : module.items()) {
      if (item instanceof PtxModule.SourceFile(int index, var path)) {
        files.put(index, path.substring(path.lastIndexOf('/') + 1));
      }
    }
    this.module = module;
    this.memory = memory;
    lowering = new Lowering(memory, new Scope(Optional.empty()), watched);
  }

  Lowering lower(Function kernel) {
    body(kernel.body().orElse(List.of()));
    lowering.begin(site(kernel), Optional.empty());
    lowering.end(new Terminator.Exit());
    return lowering;
  }

  private int site(Function kernel) {
    sites.add(Site.end(kernel.name()));
    return sites.size() - 1;
  }

  /** All registers, by their id. */
  List<Reg> registers() {
    return lowering.registers();
  }

  List<Site> sites() {
    return sites;
  }

  List<Problem> problems() {
    return problems;
  }

  private void body(List<Statement> statements) {
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
          body(inner);
          lowering.enter(outer);
        }
        case Statement.Location(int file, int line, int _) -> source = files.getOrDefault(file, "file " + file) + ":"
            + line;
        case Statement.BranchTargets(var name, var labels) -> tables.put(name, labels);
        case Variable v -> lowering.scope().declare(v.name(), memory.declared(v));
        case Instruction i -> instruction(i);
        case Statement.Comment _, Statement.Pragma _ -> {}
      }
    }
  }

  private void declare(Statement.Registers r) {
    if (r.vector() > 1) {
      for (int k = 0; k < r.vector(); k++) declare(r.name() + "." + "xyzw".charAt(k), r.type());
    } else if (r.count() == 0) {
      declare(r.name(), r.type());
    } else {
      for (int k = 0; k < r.count(); k++) declare(r.name() + k, r.type());
    }
  }

  private void declare(String name, PtxType type) {
    if (type == PtxType.B128) {
      lowering.scope().declareWide(name, lowering.temp(PtxType.B64), lowering.temp(PtxType.B64));
    } else {
      lowering.scope().declare(name, lowering.temp(type));
    }
  }

  private void instruction(Instruction i) {
    sites.add(Site.of(i, PtxPrinter.print(i), source));
    int site = sites.size() - 1;
    try {
      var guard = i.guard().map(g -> new Op.Guard(lowering.scope().register(g.predicate()), g.negated()));
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
      problems.add(new Problem(i.line(), PtxPrinter.print(i), e.getMessage()));
    }
  }

  private void lower(Instruction i) {
    if (i.opcode().equals("call")) {
      call(i);
    } else {
      InstructionLowering.lower(i, lowering, tables);
    }
  }

  /** Inlines a call: the callee's parameters are the caller's own argument variables. */
  private void call(Instruction i) {
    var call = Calls.of(i);
    var callee = Calls.definition(module, call.function())
        .orElseThrow(() -> new Unsupported("function " + call.function() + " has no body here"));
    if (active.contains(callee.name())) throw new Unsupported("function " + callee.name() + " is recursive");
    if (call.results().size() != callee.results().size() || call.arguments().size() != callee.parameters().size()) {
      throw new Unsupported("function " + callee.name() + " has other parameters");
    }
    var caller = lowering.scope();
    var scope = new Scope(Optional.empty());
    for (int k = 0; k < call.arguments().size(); k++) {
      bind(scope, callee.parameters().get(k), call.arguments().get(k), true);
    }
    for (int k = 0; k < call.results().size(); k++) bind(scope, callee.results().get(k), call.results().get(k), false);
    var after = lowering.freshLabel("return");
    var outerReturn = lowering.returnTo(Optional.of(after));
    active.push(callee.name());
    lowering.enter(scope);
    body(callee.body().orElseThrow());
    lowering.enter(caller);
    active.pop();
    lowering.returnTo(outerReturn);
    lowering.begin(sites.size() - 1, Optional.empty());
    lowering.label(after);
    for (int k = 0; k < call.results().size(); k++) {
      var formal = callee.results().get(k);
      if (formal.space() != StateSpace.REG) continue;
      lowering.move(Source.of(scope.register(formal.name())),
          lowering.destination(call.results().get(k), formal.type()), formal.type());
    }
  }

  private void bind(Scope scope, Variable formal, Operand actual, boolean input) {
    if (formal.space() != StateSpace.REG) {
      if (!(actual instanceof Operand.Symbol(var name))) {
        throw new Unsupported("argument " + actual + " is no .param variable");
      }
      scope.declare(formal.name(), lowering.place(name));
      return;
    }
    var reg = lowering.temp(formal.type());
    if (input) lowering.move(lowering.source(actual), reg, formal.type());
    scope.declare(formal.name(), reg);
  }
}
