package tilewright.simulator.compiler.module;

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
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.core.Kernel;

/** Gives a kernel's variables their addresses. Module variables in shared memory count only where they are used. */
public final class MemoryPlan {
  /** The stack of a thread for calls of unknown depth and arrays of unknown size. */
  private static final int STACK_BYTES = 16 * 1024;
  private static final long MOST_STACK = 512 * 1024;
  private static final int GAP = 128;
  /** The largest power of two that fits a CTA's shared memory. */
  private static final int MOST_ALIGNMENT = 128 * 1024;

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
  private final Frame kernelFrame = Frame.ofKernel();
  private final Map<String, Frame> frames = new HashMap<>();
  private long stackBytes;
  private int parameterBytes;

  /** @param gaps whether to leave gaps between shared variables, so that running over one is noticed */
  public MemoryPlan(PtxModule module, ModuleData data, CallGraph calls, Function kernel, boolean gaps) {
    this.data = data;
    this.gaps = gaps;
    for (var item : module.items()) {
      if (item instanceof Variable v && v.space() == StateSpace.SHARED) moduleShared.put(v.name(), v);
    }
    for (var p : kernel.parameters()) {
      long offset = Sizes.aligned(parameterBytes, Frame.alignment(p));
      parameterBytes = Sizes.PARAMETERS.end(p, offset);
      parameters.add(new Kernel.Parameter(p.name(), (int) offset, (int) p.bytes()));
      places.put(p.name(), new Scope.Place(StateSpace.PARAM, offset, p.bytes()));
    }
    var bodies = new ArrayList<>(calls.bodies(kernel));
    bodies.forEach(body -> plan(body, kernelFrame));
    for (var f : calls.framed()) {
      var frame = Frame.ofCall(f.results(), f.parameters());
      frames.put(f.name(), frame);
      var own = calls.bodies(f);
      own.forEach(body -> plan(body, frame));
      bodies.addAll(own);
      // Without recursion every function is at work once at most.
      stackBytes += calls.mayReenter(f.name(), Optional.of(f.name())) ? STACK_BYTES : frame.bytes() + Frame.ALIGNMENT;
      if (stackBytes > MOST_STACK) {
        throw new Unsupported("its functions need " + stackBytes + " bytes of stack, but a thread here has at most "
            + MOST_STACK);
      }
    }
    // Dynamic shared memory begins where the last of the others ends.
    bodies.forEach(this::placeDynamic);
    moduleShared.values().stream().filter(MemoryPlan::isDynamic).forEach(v -> places.put(v.name(), dynamicPlace()));
  }

  private static boolean isDynamic(Variable v) {
    return v.space() == StateSpace.SHARED && (v.linkage() == Linkage.EXTERN || v.bytes() == 0);
  }

  private Scope.Place dynamicPlace() {
    return new Scope.Place(StateSpace.SHARED, dynamicOffset(), 0);
  }

  private void plan(List<Statement> body, Frame frame) {
    for (var statement : body) {
      switch (statement) {
        case Statement.Block block -> plan(block.body(), frame);
        case Variable v when isDynamic(v) -> useDynamic(v);
        // Parameters of calls live where a thread's locals do: each thread has its own.
        case Variable v when v.space() == StateSpace.LOCAL || v.space() == StateSpace.PARAM -> frame.allocate(v);
        case Variable v -> declared.put(v, place(v));
        case Instruction i -> {
          i.operands().forEach(this::use);
          if (i.opcode().equals("alloca")) stackBytes = Math.max(stackBytes, STACK_BYTES);
        }
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
        if (!v.initializer().isEmpty()) throw Unsupported.of(v, "shared memory has no first values: store them");
        long start = Sizes.aligned(sharedBytes, alignment(v));
        sharedBytes = Sizes.SHARED.end(v, start);
        int offset = (int) start + gap(Frame.alignment(v));
        shared.add(new Kernel.SharedVariable(v.name(), offset, (int) v.bytes()));
        yield new Scope.Place(StateSpace.SHARED, offset, v.bytes());
      }
      default -> throw Unsupported.of(v, "a ." + v.space().text() + " variable inside a function");
    };
  }

  private static int alignment(Variable v) {
    int alignment = Frame.alignment(v);
    if (alignment <= MOST_ALIGNMENT) return alignment;
    throw Unsupported.of(v, "is aligned to " + alignment + " bytes, but shared memory has less: at most "
        + MOST_ALIGNMENT);
  }

  /** How far the next variable is moved away from the ones before: by whole rows of banks, to keep conflicts alike. */
  private int gap(int alignment) {
    if (gaps && !shared.isEmpty()) gapBytes = aligned(gapBytes + GAP, Math.max(GAP, alignment));
    return gapBytes;
  }

  private static int aligned(int offset, int alignment) {
    return Math.toIntExact(Sizes.aligned(offset, alignment));
  }

  /** The place of a variable declared in a body that belongs to a frame. */
  public Scope.Place declared(Variable v, Frame frame) {
    return frame.find(v).orElseGet(() -> declared.get(v));
  }

  public Frame kernelFrame() {
    return kernelFrame;
  }

  /** The frame of a function that has one of its own. */
  public Frame frame(Function f) {
    return frames.get(f.name());
  }

  /** Whether there is local memory behind the kernel's own, for calls and arrays. */
  public boolean hasStack() {
    return stackBytes > 0;
  }

  /** A parameter or a variable of the module. */
  public Optional<Scope.Place> find(String name) {
    return places.containsKey(name) ? Optional.of(places.get(name)) : data.place(name);
  }

  public int dynamicOffset() {
    return aligned(sharedBytes, dynamicAlignment) + gapBytes();
  }

  public int sharedBytes() {
    return sharedBytes + gapBytes();
  }

  /** The bytes that gaps between the variables and behind the last static one add to a CTA's shared memory. */
  public int gapBytes() {
    return gaps && !shared.isEmpty() ? aligned(gapBytes + GAP, Math.max(GAP, dynamicAlignment)) : 0;
  }

  /** The variables in shared memory, in order of offset. */
  public List<Kernel.SharedVariable> shared() {
    var all = new ArrayList<>(shared);
    all.add(new Kernel.SharedVariable(dynamicName, dynamicOffset(), 0));
    return List.copyOf(all);
  }

  public int localBytes() {
    return kernelFrame.bytes() + aligned((int) stackBytes, Frame.ALIGNMENT);
  }

  public int parameterBytes() {
    return parameterBytes;
  }

  public List<Kernel.Parameter> parameters() {
    return parameters;
  }
}
