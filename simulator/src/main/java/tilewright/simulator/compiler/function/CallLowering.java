package tilewright.simulator.compiler.function;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.ptx.Function;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.module.CallGraph;
import tilewright.simulator.compiler.module.Calls;
import tilewright.simulator.compiler.module.Frame;
import tilewright.simulator.compiler.module.MemoryPlan;
import tilewright.simulator.compiler.module.ModuleFunctions;
import tilewright.simulator.compiler.module.Scope;
import tilewright.simulator.core.CallStack;

/** Calls: inlined, through frames on a stack, or answered by the machine (see {@link CallGraph}). */
final class CallLowering {
  private final ModuleFunctions functions;
  private final CallGraph graph;
  private final MemoryPlan memory;
  private final Lowering c;
  private final Consumer<List<Statement>> bodies;
  private final Map<String, Statement.CallPrototype> prototypes = new HashMap<>();
  private final Map<String, String> entries = new HashMap<>();
  /** Where framed calls go on, by number; complete when all code has been lowered. */
  private final List<String> returns = new ArrayList<>();
  private final Deque<String> inlined = new ArrayDeque<>();
  private final List<Reg> registers = new ArrayList<>();
  private Optional<Function> running = Optional.empty();
  private Frame frame;

  /** @param bodies lowers a function's body in the scope at hand */
  CallLowering(ModuleFunctions functions, CallGraph graph, MemoryPlan memory, Lowering c,
      Consumer<List<Statement>> bodies) {
    this.functions = functions;
    this.graph = graph;
    this.memory = memory;
    this.c = c;
    this.bodies = bodies;
    frame = memory.kernelFrame();
    for (var f : graph.framed()) entries.put(f.name(), c.freshLabel(f.name()));
  }

  /** The frame that variables declared here belong to. */
  Frame frame() {
    return frame;
  }

  void declare(Statement.CallPrototype prototype) {
    prototypes.put(prototype.name(), prototype);
  }

  /** A call through a register may name the functions it reaches: they are all alike. */
  void declare(Statement.CallTargets targets) {
    functions.definition(targets.functions().getFirst()).ifPresent(f -> prototypes.put(targets.name(),
        new Statement.CallPrototype(targets.name(), f.results(), f.parameters(), false)));
  }

  /** A register of the function that is being lowered. */
  void declare(Reg register) {
    if (inlined.isEmpty()) registers.add(register);
  }

  /** The kernel begins: the stack lies behind its own variables. */
  void begin() {
    if (memory.hasStack()) {
      c.move(Source.of((long) memory.kernelFrame().bytes()), c.stackPointer(), PtxType.B64);
    }
  }

  void call(Calls call) {
    var name = call.function();
    if (name.isPresent() && functions.definition(name.get()).isEmpty()) {
      StubLowering.lower(name.get(), call, c);
    } else if (name.isPresent() && !graph.isFramed(name.get())) {
      inline(call, functions.definition(name.get()).orElseThrow());
    } else {
      callFramed(call);
    }
  }

  private static void requireCounts(Calls call, List<Variable> results, List<Variable> parameters) {
    if (call.results().size() != results.size() || call.arguments().size() != parameters.size()) {
      throw new Unsupported("the called function has other parameters");
    }
  }

  /** The callee's parameters are the caller's own argument variables. */
  private void inline(Calls call, Function callee) {
    requireCounts(call, callee.results(), callee.parameters());
    var caller = c.scope();
    var scope = new Scope(Optional.empty());
    for (int k = 0; k < call.arguments().size(); k++) {
      bind(scope, callee.parameters().get(k), call.arguments().get(k), true);
    }
    for (int k = 0; k < call.results().size(); k++) bind(scope, callee.results().get(k), call.results().get(k), false);
    var after = c.freshLabel("return");
    var outerReturn = c.returnTo(Optional.of(after));
    int site = c.site();
    inlined.push(callee.name());
    c.enter(scope);
    bodies.accept(callee.body().orElseThrow());
    c.enter(caller);
    inlined.pop();
    c.returnTo(outerReturn);
    c.begin(site, Optional.empty());
    c.label(after);
    for (int k = 0; k < call.results().size(); k++) {
      var formal = callee.results().get(k);
      if (formal.space() != StateSpace.REG) continue;
      c.move(Source.of(scope.register(formal.name())), c.destination(call.results().get(k), formal.type()),
          formal.type());
    }
  }

  private void bind(Scope scope, Variable formal, Operand actual, boolean input) {
    if (formal.space() != StateSpace.REG) {
      scope.declare(formal.name(), place(actual));
      return;
    }
    var reg = c.temp(formal.type());
    if (input) c.move(c.source(actual), reg, formal.type());
    scope.declare(formal.name(), reg);
  }

  private Scope.Place place(Operand actual) {
    if (actual instanceof Operand.Symbol(var name) && !c.scope().hasRegister(name)) return c.place(name);
    throw new Unsupported("argument " + actual.text() + " is no .param variable");
  }

  private void callFramed(Calls call) {
    var callee = call.function().flatMap(functions::definition);
    var results = callee.map(Function::results).orElseGet(() -> prototype(call).results());
    var parameters = callee.map(Function::parameters).orElseGet(() -> prototype(call).parameters());
    requireCounts(call, results, parameters);
    var layout = Frame.ofCall(results, parameters);
    var target = callee.isEmpty() ? Optional.of(target(call)) : Optional.<Reg>empty();
    for (int k = 0; k < parameters.size(); k++) {
      copy(place(call.arguments().get(k)), layout.find(parameters.get(k)).orElseThrow(), true);
    }
    var saved = running.filter(f -> graph.mayReenter(f.name(), call.function())).isPresent()
        ? List.copyOf(registers) : List.<Reg>of();
    for (var r : saved) push(r);
    var after = c.freshLabel("return");
    c.warp(CallStack.class, "call", List.of(c.framePointer(), c.stackPointer()), List.of(),
        new Op.Argument.Lanes(c.framePointer()), new Op.Argument.Lanes(c.stackPointer()),
        new Op.Argument.IntValue(returns.size()));
    returns.add(after);
    if (target.isPresent()) {
      c.end(new Terminator.Indexed(target.get(), functions.names().stream().map(this::entry).toList()));
    } else {
      c.end(new Terminator.Goto(entries.get(callee.orElseThrow().name())));
    }
    c.label(after);
    c.resume();
    for (var r : saved.reversed()) pop(r);
    for (int k = 0; k < results.size(); k++) {
      copy(place(call.results().get(k)), layout.find(results.get(k)).orElseThrow(), false);
    }
  }

  private Statement.CallPrototype prototype(Calls call) {
    return call.prototype().map(prototypes::get)
        .orElseThrow(() -> new Unsupported("a call through a register without its prototype"));
  }

  private Reg target(Calls call) {
    var address = c.inRegister(call.callee(), PtxType.B64);
    var index = c.temp(PtxType.B32);
    c.warp(CallStack.class, "target", List.of(address), List.of(index), new Op.Argument.Lanes(address),
        new Op.Argument.IntValue(functions.names().size()), new Op.Argument.Lanes(index),
        new Op.Argument.IntValue(c.site()));
    return index;
  }

  /** Where calls of a function go; those of functions without code end in a report. */
  private String entry(String function) {
    return entries.computeIfAbsent(graph.isFramed(function)
        ? functions.definition(function).orElseThrow().name() : "", _ -> c.freshLabel("uncallable"));
  }

  /** Copies an argument or result between the caller's variable and the callee's frame, which begins at the stack. */
  private void copy(Scope.Place own, Scope.Place formal, boolean in) {
    if (own.space() != StateSpace.LOCAL) throw new Unsupported("an argument that is a parameter of the kernel");
    if (own.bytes() < formal.bytes()) throw new Unsupported("the called function has larger parameters");
    var base = own.inFrame() ? c.framePointer() : c.inRegister(Source.of(0L), PtxType.B64);
    var ownBase = new Op.Argument.Lanes(base);
    var ownOffset = new Op.Argument.LongValue(own.address());
    var frameBase = new Op.Argument.Lanes(c.stackPointer());
    var frameOffset = new Op.Argument.LongValue(formal.address());
    var bytes = new Op.Argument.IntValue((int) formal.bytes());
    var site = new Op.Argument.IntValue(c.site());
    var reads = List.of(base, c.stackPointer());
    if (in) {
      c.warp(CallStack.class, "copy", reads, List.of(), ownBase, ownOffset, frameBase, frameOffset, bytes, site);
    } else {
      c.warp(CallStack.class, "copy", reads, List.of(), frameBase, frameOffset, ownBase, ownOffset, bytes, site);
    }
  }

  private void push(Reg r) {
    boolean predicate = r.kind == Reg.Kind.PREDICATE;
    c.warp(CallStack.class, "push", List.of(r), List.of(), predicate ? new Op.Argument.Slot(r)
        : new Op.Argument.Lanes(r));
  }

  private void pop(Reg r) {
    if (r.kind == Reg.Kind.PREDICATE) {
      c.warp(CallStack.class, "pop", List.of(), new Op.Result.Predicate(r), List.of(), List.of(r));
    } else {
      c.warp(CallStack.class, "pop", List.of(), List.of(r), new Op.Argument.Lanes(r));
    }
  }

  /** The code of the functions that have their own, behind the kernel's. */
  void functions(int site) {
    for (var f : graph.framed()) function(f, site);
    var uncallable = entries.get("");
    if (uncallable != null) {
      c.begin(site, Optional.empty());
      c.label(uncallable);
      c.warp(CallStack.class, "uncallable", List.of(), List.of(), new Op.Argument.IntValue(site));
      c.end(new Terminator.Exit());
    }
  }

  private void function(Function f, int site) {
    running = Optional.of(f);
    frame = memory.frame(f);
    registers.clear();
    var scope = new Scope(Optional.empty());
    for (var v : f.results()) scope.declare(v.name(), frame.find(v).orElseThrow());
    for (var v : f.parameters()) scope.declare(v.name(), frame.find(v).orElseThrow());
    c.enter(scope);
    c.begin(site, Optional.empty());
    c.label(entries.get(f.name()));
    var pointers = List.of(c.framePointer(), c.stackPointer());
    var frameLanes = new Op.Argument.Lanes(c.framePointer());
    var stackLanes = new Op.Argument.Lanes(c.stackPointer());
    // Even an empty frame takes room, so that endless recursion ends.
    int bytes = Math.max(frame.bytes(), Frame.ALIGNMENT);
    c.warp(CallStack.class, "enter", pointers, pointers, frameLanes, stackLanes, new Op.Argument.IntValue(bytes),
        new Op.Argument.IntValue(site));
    var epilogue = c.freshLabel("epilogue");
    c.returnTo(Optional.of(epilogue));
    bodies.accept(f.body().orElseThrow());
    c.begin(site, Optional.empty());
    c.label(epilogue);
    var returnTo = c.temp(PtxType.B32);
    c.warp(CallStack.class, "leave", List.of(), List.of(c.framePointer(), c.stackPointer(), returnTo), frameLanes,
        stackLanes, new Op.Argument.Lanes(returnTo));
    c.end(new Terminator.Indexed(returnTo, returns));
    c.returnTo(Optional.empty());
  }
}
