package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Linkage;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;
import tilewright.simulator.core.Kernel;

/** Gives a kernel's variables their addresses. Module variables in shared memory count only where they are used. */
final class MemoryPlan {
  private static final int LOCAL_ALIGNMENT = 16;
  private static final int GAP = 128;

  private final Map<String, Variable> moduleShared = new HashMap<>();
  private final Map<String, Scope.Place> places = new HashMap<>();
  private final Map<Variable, Scope.Place> declared = new IdentityHashMap<>();
  private final List<Kernel.Parameter> parameters = new ArrayList<>();
  private final ModuleData data;
  private int sharedBytes;
  private final List<Kernel.SharedVariable> shared = new ArrayList<>();
  private final boolean gaps;
  private int gapBytes;
  private String dynamicName = "dynamic";
  private int dynamicAlignment = 16;
  private int localBytes;
  private int parameterBytes;

  /** @param gaps whether to leave gaps between shared variables, so that running over one is noticed */
  MemoryPlan(PtxModule module, ModuleData data, Function kernel, boolean gaps) {
    this.data = data;
    this.gaps = gaps;
    for (var item : module.items()) {
      if (item instanceof Variable v && v.space() == StateSpace.SHARED) moduleShared.put(v.name(), v);
    }
    for (var p : kernel.parameters()) {
      parameterBytes = align(parameterBytes, alignment(p));
      parameters.add(new Kernel.Parameter(p.name(), parameterBytes, (int) p.bytes()));
      places.put(p.name(), new Scope.Place(StateSpace.PARAM, parameterBytes, p.bytes()));
      parameterBytes += (int) p.bytes();
    }
    var bodies = Calls.bodies(module, kernel);
    bodies.forEach(this::plan);
    // Dynamic shared memory begins where the last of the others ends.
    bodies.forEach(this::placeDynamic);
    moduleShared.values().stream().filter(MemoryPlan::isDynamic).forEach(v -> places.put(v.name(), dynamicPlace()));
  }

  private static int alignment(Variable v) {
    return Math.max(v.alignment(), v.type().bytes() * v.vector());
  }

  private static int align(int offset, int alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  private static boolean isDynamic(Variable v) {
    return v.space() == StateSpace.SHARED && (v.linkage() == Linkage.EXTERN || v.bytes() == 0);
  }

  private Scope.Place dynamicPlace() {
    return new Scope.Place(StateSpace.SHARED, dynamicOffset(), 0);
  }

  private void plan(List<Statement> body) {
    for (var statement : body) {
      switch (statement) {
        case Statement.Block block -> plan(block.body());
        case Variable v when isDynamic(v) -> useDynamic(v);
        case Variable v -> declared.put(v, place(v));
        case Instruction i -> i.operands().forEach(this::use);
        default -> {}
      }
    }
  }

  private void useDynamic(Variable v) {
    dynamicName = v.name();
    dynamicAlignment = Math.max(dynamicAlignment, alignment(v));
  }

  private void placeDynamic(List<Statement> body) {
    for (var statement : body) {
      if (statement instanceof Statement.Block block) placeDynamic(block.body());
      if (statement instanceof Variable v && isDynamic(v)) declared.put(v, dynamicPlace());
    }
  }

  private void use(Operand operand) {
    switch (operand) {
      case Operand.Symbol(var name) -> {
        var v = moduleShared.get(name);
        if (v == null || places.containsKey(name)) return;
        if (isDynamic(v)) {
          useDynamic(v);
        } else {
          places.put(name, place(v));
        }
      }
      case Operand.Address a -> use(a.base());
      case Operand.Offset o -> use(o.symbol());
      case Operand.Vector v -> v.elements().forEach(this::use);
      case Operand.Group g -> g.elements().forEach(this::use);
      default -> {}
    }
  }

  private Scope.Place place(Variable v) {
    return switch (v.space()) {
      case SHARED -> {
        sharedBytes = align(sharedBytes, alignment(v));
        int offset = sharedBytes + gap(alignment(v));
        sharedBytes += (int) v.bytes();
        shared.add(new Kernel.SharedVariable(v.name(), offset, (int) v.bytes()));
        yield new Scope.Place(StateSpace.SHARED, offset, v.bytes());
      }
      // Parameters of calls live where a thread's locals do: each thread has its own.
      case LOCAL, PARAM -> {
        localBytes = align(localBytes, alignment(v));
        localBytes += (int) v.bytes();
        yield new Scope.Place(StateSpace.LOCAL, localBytes - v.bytes(), v.bytes());
      }
      default -> throw new Unsupported("a ." + v.space().text() + " variable inside a function");
    };
  }

  /** How far the next variable is moved away from the ones before: by whole rows of banks, to keep conflicts alike. */
  private int gap(int alignment) {
    if (gaps && !shared.isEmpty()) gapBytes = align(gapBytes + GAP, Math.max(GAP, alignment));
    return gapBytes;
  }

  /** The place of a variable declared in the function's body. */
  Scope.Place declared(Variable v) {
    return declared.get(v);
  }

  /** A parameter or a variable of the module. */
  Optional<Scope.Place> find(String name) {
    return places.containsKey(name) ? Optional.of(places.get(name)) : data.place(name);
  }

  int dynamicOffset() {
    int gap = gaps && !shared.isEmpty() ? align(gapBytes + GAP, Math.max(GAP, dynamicAlignment)) : 0;
    return align(sharedBytes, dynamicAlignment) + gap;
  }

  int sharedBytes() {
    return sharedBytes + gapBytes;
  }

  /** What the gaps add to the shared memory of a CTA with dynamic shared memory. */
  int gapBytes() {
    return dynamicOffset() - align(sharedBytes, dynamicAlignment);
  }

  /** The variables in shared memory, in order of offset. */
  List<Kernel.SharedVariable> shared() {
    var all = new ArrayList<>(shared);
    all.add(new Kernel.SharedVariable(dynamicName, dynamicOffset(), 0));
    return List.copyOf(all);
  }

  int localBytes() {
    return align(localBytes, LOCAL_ALIGNMENT);
  }

  int parameterBytes() {
    return parameterBytes;
  }

  List<Kernel.Parameter> parameters() {
    return parameters;
  }
}
