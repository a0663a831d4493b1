package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/** Loops and branches of a trace. Each traces its body into a region of its own, and writes it between labels. */
final class ControlFlow {
  /** The longest body whose instructions are guarded one by one rather than jumped over. */
  private static final int MOST_GUARDED = 12;

  private final Scope k;
  private int labels;

  ControlFlow(Scope k) {
    this.k = k;
  }

  /** Traces a loop for {@code i} from {@code from} in positive steps while it is below {@code to}. */
  void loop(I32 from, I32 to, I32 step, Consumer<I32> body) {
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

  private void branch(String label, Operand.Register predicate, boolean negated) {
    k.region().append(null, Instruction.of("bra", new Operand.Symbol(label))
        .guardedBy(new Instruction.Guard(predicate.name(), negated)));
  }

  private String label(String stem) {
    return "$" + stem + labels++;
  }
}
