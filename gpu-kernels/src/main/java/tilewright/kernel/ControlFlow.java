package tilewright.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tilewright.kernel.Declarations.Printing;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/**
 * Loops, branches and calls of a trace. A loop or branch traces its body into a region of its own, and writes it
 * between labels.
 */
final class ControlFlow {
  /** A conversion of printf (ISO C, 7.21.6.1) with flags, width and precision, but no length: values have 32 bits. */
  private static final Pattern CONVERSION = Pattern.compile("%([-+ #0]*\\d*(?:\\.\\d*)?)(.?)", Pattern.DOTALL);
  /** The longest body whose instructions are guarded one by one rather than jumped over. */
  private static final int MOST_GUARDED = 12;

  private final Scope k;
  private int labels;

  ControlFlow(Scope k) {
    this.k = k;
  }

  /** Traces a loop for {@code i} from {@code from} in positive steps while it is below {@code to}. */
  void loop(I32 from, I32 to, I32 step, Consumer<I32> body) {
    loop(from, to, step, Optional.empty(), body);
  }

  /** Traces a loop that the assembler leaves as it is: without the pragma it unrolls loops of few rounds. */
  void rolledLoop(I32 to, I32 step, Consumer<I32> body) {
    loop(to.constant(0), to, step, Optional.of(new Statement.Pragma("nounroll")), body);
  }

  private void loop(I32 from, I32 to, I32 step, Optional<Statement.Pragma> pragma, Consumer<I32> body) {
    var outer = k.region();
    var inner = new Region(outer, true);
    var counter = k.newRegister(PtxType.B32);
    var i = k.values().counter(from.value, to.value, step.value, inner, counter);
    k.inside(inner, () -> body.accept(new I32(k, Linear.of(i))));

    var limit = to.operand();
    var stride = step.operand();
    var notEmpty = from.lessThan(to);
    var begin = label("loop");
    var end = label("done");
    k.emit("mov.b32", counter, from.operand());
    if (!notEmpty.known().orElse(false)) branch(end, notEmpty.register(), true);
    outer.append(null, new Statement.Label(begin));
    pragma.ifPresent(unrolling -> outer.append(null, unrolling));
    outer.appendAll(inner.body());
    inner.increments().forEach(increment -> outer.append(null, increment));
    var again = k.newRegister(PtxType.PRED);
    k.emit("add.s32", counter, counter, stride);
    k.emit("setp.lt.s32", again, counter, limit);
    branch(begin, again, false);
    outer.append(null, new Statement.Label(end));
  }

  /** Traces a body that is repeated until its predicate holds. */
  void repeatUntil(Supplier<Pred> attempt) {
    var outer = k.region();
    var inner = new Region(outer, true);
    var begin = label("again");
    var done = new Operand.Register[1];
    k.inside(inner, () -> done[0] = attempt.get().register());
    outer.append(null, new Statement.Label(begin));
    outer.appendAll(inner.body());
    branch(begin, done[0], true);
  }

  /** Traces both branches, or the one that is taken where tracing already knows the condition. */
  void when(Pred condition, Runnable then, Runnable otherwise) {
    if (condition.known().isPresent()) {
      (condition.known().get() ? then : otherwise).run();
      return;
    }
    var region = k.region();
    var yes = traced(then);
    var no = traced(otherwise);
    var p = condition.register();
    if (isShort(yes) && no.isEmpty()) {
      var guard = new Instruction.Guard(p.name(), false);
      region.appendAll(yes.stream().map(s -> s instanceof Instruction i ? i.guardedBy(guard) : s).toList());
      return;
    }
    var end = label("endif");
    var elseLabel = no.isEmpty() ? end : label("else");
    branch(elseLabel, p, true);
    region.appendAll(yes);
    if (!no.isEmpty()) {
      k.emit(Optional.empty(), "bra", new Operand.Symbol(end));
      region.append(null, new Statement.Label(elseLabel));
      region.appendAll(no);
    }
    region.append(null, new Statement.Label(end));
  }

  private List<Statement> traced(Runnable body) {
    var inner = new Region(k.region(), false);
    k.inside(inner, body);
    return inner.body();
  }

  private static boolean isShort(List<Statement> body) {
    return body.size() <= MOST_GUARDED && body.stream().allMatch(s -> s instanceof Statement.Location
        || s instanceof Instruction i && i.guard().isEmpty() && !i.opcode().equals("bar"));
  }

  /** Calls the driver's vprintf with a text and the values in local memory, as CUDA's compiler does. */
  void printf(String format, List<Scope.Printable> values) {
    requireFit(format, values);
    int offset = 0;
    var stores = new ArrayList<Instruction>();
    for (var value : values) {
      switch (value) {
        case I32 integer -> {
          stores.add(Instruction.of("st.local.u32", Printing.place(offset), integer.operand()));
          offset += Integer.BYTES;
        }
        case F32 number -> {
          offset = Math.ceilDiv(offset, Double.BYTES) * Double.BYTES;
          var wide = k.newRegister(PtxType.F64);
          k.emit("cvt.f64.f32", wide, number.node.register(k));
          stores.add(Instruction.of("st.local.f64", Printing.place(offset), wide));
          offset += Double.BYTES;
        }
      }
    }
    var text = k.newRegister(PtxType.U64);
    var memory = k.newRegister(PtxType.U64);
    k.emit("mov.u64", text, k.printing().text(format, offset));
    k.emit("cvta.global.u64", text, text);
    k.emit("mov.u64", memory, Printing.MEMORY);
    k.emit("cvta.local.u64", memory, memory);
    stores.forEach(store -> k.region().append(k.location(), store));
    k.region().append(k.location(), Printing.call(text, memory));
  }

  private static void requireFit(String format, List<Scope.Printable> values) {
    var conversions = CONVERSION.matcher(format).results().filter(c -> !c.group().equals("%%")).toList();
    for (int i = 0; i < conversions.size(); i++) {
      var conversion = conversions.get(i).group();
      boolean integer = "diuxXoc".contains(conversions.get(i).group(2)) && !conversions.get(i).group(2).isEmpty();
      if (!integer && !"fFeEgGaA".contains(conversions.get(i).group(2)) || conversions.get(i).group(2).isEmpty()) {
        throw new TraceException("printf \"" + format + "\" has " + conversion + ": needed is %d, %u, %x, %o or %c for "
            + "an I32, %f, %e, %g or %a for an F32, and %% for a percent sign");
      }
      if (i < values.size() && integer != values.get(i) instanceof I32) {
        throw new TraceException("printf \"" + format + "\" has " + conversion + " for an "
            + values.get(i).getClass().getSimpleName() + ": use " + (integer ? "%f" : "%d"));
      }
    }
    if (conversions.size() != values.size()) {
      throw new TraceException("printf \"" + format + "\" has " + conversions.size() + " conversions, but "
          + values.size() + (values.size() == 1 ? " value" : " values"));
    }
    if (values.size() > Printing.MOST_VALUES) {
      throw new TraceException("printf of " + values.size() + " values: the driver takes " + Printing.MOST_VALUES
          + " at most");
    }
  }

  private void branch(String label, Operand.Register predicate, boolean negated) {
    k.region().append(null, Instruction.of("bra", new Operand.Symbol(label))
        .guardedBy(new Instruction.Guard(predicate.name(), negated)));
  }

  private String label(String stem) {
    return "$" + stem + labels++;
  }
}
