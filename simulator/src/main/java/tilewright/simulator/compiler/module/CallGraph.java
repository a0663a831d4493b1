package tilewright.simulator.compiler.module;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/**
 * The functions that a kernel can call, and how. Most calls are inlined. Functions that can call themselves, and those
 * that are called through their address, have one copy of code and a frame in local memory for each call.
 */
public final class CallGraph {
  private final ModuleFunctions functions;
  private final Function kernel;
  /** Functions whose address is a value somewhere. */
  private final Set<String> addressed = new LinkedHashSet<>();
  private final Map<String, Set<String>> callees = new HashMap<>();
  private final Set<String> framed = new LinkedHashSet<>();

  public CallGraph(PtxModule module, ModuleFunctions functions, Function kernel) {
    this.functions = functions;
    this.kernel = kernel;
    for (var item : module.items()) {
      switch (item) {
        case Variable v -> v.initializer().forEach(this::address);
        case Function f -> f.body().ifPresent(b -> instructions(b, this::addresses));
        default -> {}
      }
    }
    boolean indirect = explore();
    for (var name : callees.keySet()) {
      boolean called = indirect && addressed.contains(name);
      if (!name.equals(kernel.name()) && (called || reaches(name, name))) framed.add(name);
    }
  }

  private void addresses(Instruction i) {
    if (!i.opcode().equals("call")) i.operands().forEach(this::address);
  }

  private void address(Operand operand) {
    switch (operand) {
      case Operand.Symbol(var name) -> {
        var plain = name.startsWith("generic(") ? name.substring("generic(".length(), name.length() - 1) : name;
        functions.definition(plain).ifPresent(f -> addressed.add(f.name()));
      }
      case Operand.Masked(long _, var inner) -> address(inner);
      default -> {}
    }
  }

  private static void instructions(List<Statement> body, Consumer<Instruction> use) {
    for (var s : body) {
      if (s instanceof Statement.Block(var inner)) instructions(inner, use);
      if (s instanceof Instruction i) use.accept(i);
    }
  }

  /** Collects who calls whom; returns whether any call goes through a register. */
  private boolean explore() {
    var indirect = new boolean[1];
    var work = new ArrayDeque<Function>(List.of(kernel));
    while (!work.isEmpty()) {
      var f = work.pop();
      if (callees.containsKey(f.name())) continue;
      var called = new LinkedHashSet<String>();
      instructions(f.body().orElse(List.of()), i -> {
        if (!i.opcode().equals("call")) return;
        var name = Calls.of(i).function();
        indirect[0] |= name.isEmpty();
        if (name.isPresent()) {
          functions.definition(name.get()).ifPresent(g -> called.add(g.name()));
        } else {
          called.addAll(addressed);
        }
      });
      callees.put(f.name(), called);
      for (var name : called) functions.definition(name).ifPresent(work::push);
    }
    return indirect[0];
  }

  /** Whether a function, once called, may call another, which may be itself. */
  private boolean reaches(String from, String to) {
    var seen = new LinkedHashSet<String>();
    var work = new ArrayDeque<>(callees.get(from));
    while (!work.isEmpty()) {
      var name = work.pop();
      if (name.equals(to)) return true;
      if (seen.add(name)) work.addAll(callees.get(name));
    }
    return false;
  }

  /** Whether a function has code and frames of its own. */
  public boolean isFramed(String name) {
    return functions.definition(name).map(f -> framed.contains(f.name())).orElse(false);
  }

  /** The functions with frames of their own. */
  public List<Function> framed() {
    return framed.stream().map(functions::definition).flatMap(Optional::stream).toList();
  }

  /** Whether a framed function may be running again before a call that it makes returns. */
  public boolean mayReenter(String caller, Optional<String> callee) {
    var targets = callee.map(name -> functions.definition(name).map(f -> Set.of(f.name())).orElse(Set.of()))
        .orElse(addressed);
    return targets.stream().anyMatch(name -> name.equals(caller) || reaches(name, caller));
  }

  /** The bodies that make up the code of a kernel or framed function: its own and what is inlined into it. */
  List<List<Statement>> bodies(Function root) {
    var seen = new LinkedHashSet<String>();
    var bodies = new ArrayList<List<Statement>>();
    var work = new ArrayDeque<Function>(List.of(root));
    while (!work.isEmpty()) {
      var f = work.pop();
      if (!seen.add(f.name())) continue;
      var body = f.body().orElse(List.of());
      bodies.add(body);
      instructions(body, i -> {
        if (i.opcode().equals("call")) {
          Calls.of(i).function().filter(name -> !isFramed(name)).flatMap(functions::definition).ifPresent(work::push);
        }
      });
    }
    return bodies;
  }
}
