package tilewright.simulator.compiler.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.MachineMethod;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.module.MemoryPlan;
import tilewright.simulator.compiler.module.Scope;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.SpecialRegister;
import tilewright.simulator.core.Warp;

/** The context in which an instruction is lowered: the names in scope, and the code so far. */
public final class Lowering {
  private static final Pattern UNUSED =
      Pattern.compile("%(gridid|envreg\\d+|pm\\d(_64)?|current_graph_exec|reserved_smem_offset_\\w+)");

  private final MemoryPlan memory;
  private final boolean watched;
  private final List<Item> items = new ArrayList<>();
  private final List<Reg> registers = new ArrayList<>();
  private Scope scope;
  private Optional<Op.Guard> guard = Optional.empty();
  private Optional<String> returnLabel = Optional.empty();
  private Optional<Reg> carry = Optional.empty();
  private Optional<Reg> framePointer = Optional.empty();
  private Optional<Reg> stackPointer = Optional.empty();
  private int site;
  private int labels;
  /** Whether the instruction has called into the machine, and whether a block has ended since. */
  private boolean called;
  private boolean interrupted;

  /** One element of the code before it is cut into blocks. */
  public sealed interface Item {
    record Label(String name) implements Item {}

    record Step(Op op) implements Item {}

    record End(Terminator terminator) implements Item {}

    /** The lanes in the mask must be here together. */
    record Together(Source mask) implements Item {}

    /** An instruction of the PTX text begins. */
    record Begin(int site) implements Item {}
  }

  public Lowering(MemoryPlan memory, Scope scope, boolean watched) {
    this.memory = memory;
    this.watched = watched;
    this.scope = scope;
  }

  public List<Item> items() {
    return items;
  }

  public List<Reg> registers() {
    return registers;
  }

  /** Whether the code shall tell the sanitizer and the profile what it does. */
  public boolean watched() {
    return watched;
  }

  public Scope scope() {
    return scope;
  }

  public void enter(Scope inner) {
    scope = inner;
  }

  public void begin(int newSite, Optional<Op.Guard> newGuard) {
    site = newSite;
    guard = newGuard;
    resume();
    items.add(new Item.Begin(site));
  }

  /** Where {@code ret} goes: behind the inlined call; empty in the kernel itself. Returns what it was. */
  public Optional<String> returnTo(Optional<String> label) {
    var before = returnLabel;
    returnLabel = label;
    return before;
  }

  /** Returns the terminator that {@code ret} becomes here. */
  public Terminator returning() {
    return returnLabel.<Terminator>map(Terminator.Goto::new).orElseGet(Terminator.Exit::new);
  }

  public int site() {
    return site;
  }

  public String freshLabel(String stem) {
    return stem + "#" + labels++;
  }

  /**
   * Allows calls into the machine again. A warp may yield where a block ends, and what its calls have left in the CTA's
   * or in its own buffers is then another's; so one instruction may not call on both sides, unless the later calls find
   * what the earlier ones left by lane, as on a call stack.
   */
  public void resume() {
    called = false;
    interrupted = false;
  }

  private void interrupt() {
    interrupted |= called;
  }

  public void label(String unique) {
    interrupt();
    items.add(new Item.Label(unique));
  }

  public void end(Terminator terminator) {
    interrupt();
    items.add(new Item.End(terminator));
  }

  /** Makes what follows wait for all lanes of the mask. A guard becomes a branch around it. */
  public void together(Source mask) {
    interrupt();
    items.add(new Item.Together(mask instanceof Source.Constant(long bits, _) ? Source.of((int) bits) : mask));
  }

  public Optional<Op.Guard> guard() {
    return guard;
  }

  public void unguard() {
    guard = Optional.empty();
  }

  public Reg temp(PtxType type) {
    var reg = new Reg(registers.size(), type);
    registers.add(reg);
    return reg;
  }

  /** The condition code's carry flag, which {@code .cc} instructions hand on. */
  public Reg carry() {
    if (carry.isEmpty()) carry = Optional.of(temp(PtxType.PRED));
    return carry.get();
  }

  /** The register or constant an operand names. */
  public Source source(Operand operand) {
    return switch (operand) {
      case Operand.Register(var name) -> Source.of(scope.register(name));
      case Operand.Integer(long value) -> Source.of(value);
      case Operand.Float(var type, long bits) -> new Source.Constant(bits, type);
      case Operand.Special(var name) -> special(name);
      case Operand.Symbol(var name) when name.equals("WARP_SZ") -> Source.of(Warp.LANES);
      case Operand.Symbol(var name) -> scope.hasRegister(name) ? Source.of(scope.register(name))
          : address(place(name), 0);
      case Operand.Offset(var symbol, long offset) -> address(place(symbol.name()), offset);
      case Operand.Not(var inner) -> inverse(source(inner));
      case Operand.Negated _ -> throw new Unsupported("only vmad takes the negative of a register");
      default -> throw new Unsupported("operand " + operand.text() + " is not a value");
    };
  }

  /** Where the variables of the running call begin, as a local address. */
  public Reg framePointer() {
    if (framePointer.isEmpty()) framePointer = Optional.of(temp(PtxType.B64));
    return framePointer.get();
  }

  /** The first local address that no running call uses. */
  public Reg stackPointer() {
    if (stackPointer.isEmpty()) stackPointer = Optional.of(temp(PtxType.B64));
    return stackPointer.get();
  }

  private Source address(Scope.Place place, long offset) {
    long address = place.address() + offset;
    if (place.space() == StateSpace.SHARED) return new Source.Shared(address);
    if (!place.inFrame()) return Source.of(address);
    var to = temp(PtxType.B64);
    var frame = Source.of(framePointer());
    always(() -> lane(List.of(frame), List.of(to), code -> {
      code.push(frame, PtxType.B64).b.loadConstant(address).ladd();
      code.pop(to, PtxType.B64);
    }));
    return Source.of(to);
  }

  /** Emits what is needed whether or not the instruction's guard holds. */
  private void always(Runnable emit) {
    var kept = guard;
    guard = Optional.empty();
    emit.run();
    guard = kept;
  }

  private Source inverse(Source predicate) {
    var to = temp(PtxType.PRED);
    lane(List.of(predicate), List.of(to), Flow.Logic.not(predicate, PtxType.PRED), c -> {
      c.push(predicate, PtxType.PRED).b.loadConstant(1).ixor();
      c.pop(to, PtxType.PRED);
    });
    return Source.of(to);
  }

  private static Source special(String name) {
    if (name.equals("%globaltimer_hi")) return special("%clock_hi");
    if (name.equals("%clock64") || name.startsWith("%globaltimer")) return new Source.Clock();
    var register = SpecialRegister.named(name);
    if (register.isPresent()) return new Source.Special(register.get().ordinal());
    // What a driver or a profiler would put there is nothing here.
    if (UNUSED.matcher(name).matches()) return Source.of(0L);
    throw new Unsupported("special register " + name + " is not supported");
  }

  public Scope.Place place(String name) {
    return scope.place(name).or(() -> memory.find(name))
        .orElseThrow(() -> new Unsupported("symbol " + name + " is not declared"));
  }

  /** The register a result goes to. */
  public Reg destination(Operand operand, PtxType typeOfSink) {
    return switch (operand) {
      case Operand.Register(var name) -> scope.register(name);
      case Operand.Symbol(var name) -> scope.register(name);
      case Operand.Sink _ -> temp(typeOfSink);
      default -> throw new Unsupported("operand " + operand.text() + " cannot take a result");
    };
  }

  /** Work of one lane, whose results depend on all bits of its operands. */
  public void lane(List<Source> in, List<Reg> out, Op.LaneBody body) {
    lane(in, out, Flow.MIXED, body);
  }

  /** Work of one lane. */
  public void lane(List<Source> in, List<Reg> out, Flow flow, Op.LaneBody body) {
    var reads = in.stream().flatMap(s -> s.reads().stream()).distinct().toList();
    items.add(new Item.Step(new Op.Lane(guard, reads, out, site, flow, body)));
  }

  /** A copy of a value as a type, in every lane. */
  public void move(Source from, Reg to, PtxType type) {
    lane(List.of(from), List.of(to), Flow.moved(), c -> c.push(from, type).pop(to, type));
  }

  /** A call into the machine. {@code reads} and {@code writes} are the registers behind the arguments. */
  public void warp(Class<?> owner, String method, List<Op.Argument> arguments, Op.Result result, List<Reg> reads,
      List<Reg> writes) {
    if (interrupted) {
      throw new IllegalStateException(owner.getSimpleName() + "." + method + " follows a point where the warp may "
          + "yield, behind other calls of one instruction");
    }
    called = true;
    MachineMethod.require(owner, method, result, arguments);
    items.add(new Item.Step(new Op.Warp(guard, owner, method, arguments, result, reads, writes, site)));
  }

  public void warp(Class<?> owner, String method, List<Reg> reads, List<Reg> writes, Op.Argument... arguments) {
    warp(owner, method, Arrays.asList(arguments), new Op.Result.Nothing(), reads, writes);
  }

  /** A register of the kind that stands for the type and holds the value; the operand's own if it is one. */
  public Reg inRegister(Source source, PtxType type) {
    if (source instanceof Source.Register(var reg) && reg.kind == Reg.kindOf(type)
        && reg.type.bits() == type.bits()) return reg;
    var to = temp(type);
    always(() -> move(source, to, type));
    return to;
  }

  public Reg inRegister(Operand operand, PtxType type) {
    return inRegister(source(operand), type);
  }

  /** The generic address of a place in a space. */
  public static long window(StateSpace space) {
    return switch (space) {
      case SHARED -> AddressSpace.SHARED_WINDOW;
      case LOCAL -> AddressSpace.LOCAL_WINDOW;
      case PARAM -> AddressSpace.PARAMETER_WINDOW;
      default -> 0;
    };
  }

  public List<Operand> operands(Instruction i, int least, int most) {
    if (i.operands().size() < least || i.operands().size() > most) {
      throw new Unsupported(i.operands().size() + " operands, but the form has "
          + (least == most ? least : least + " to " + most));
    }
    return i.operands();
  }

  public List<Operand> operands(Instruction i, int count) {
    return operands(i, count, count);
  }

  /** The 64-bit registers that an operand of a 128-bit instruction stands for, lower half first. */
  public List<Operand> halves(Operand operand) {
    if (operand instanceof Operand.Vector(var elements) && elements.size() == 2) return elements;
    if (operand instanceof Operand.Register(var name)) {
      var halves = scope.halves(name).stream().<Operand>map(Operand.Register::new).toList();
      if (!halves.isEmpty()) return halves;
    }
    throw new Unsupported("operand " + operand.text() + " has not 128 bits");
  }

  /** The registers of an operand that stands for so many. */
  public List<Operand> elements(Operand operand, int count) {
    if (count == 1 && !(operand instanceof Operand.Vector)) return List.of(operand);
    if (operand instanceof Operand.Vector(var elements) && elements.size() == count) return elements;
    throw new Unsupported("an operand has not the " + count + " registers of the form");
  }
}
