package tilewright.simulator.compiler.code;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.simulator.mma.TensorCores;

/**
 * Joins neighbouring {@code mma} instructions into one multiplication of a taller A by a wider B where they multiply
 * each of some fragments of A by each of some fragments of B, in any order, as the inner loop of every GEMM does. Each
 * fragment is decoded once then, and loops and vectors are long enough to be fast.
 */
final class MmaGroups {
  private static final Set<String> JOINED = Set.of("m16n8k16", "m16n8k8");
  private static final int ACCUMULATORS = 4;

  private MmaGroups() {}

  /** One instruction's registers. */
  private record Mma(Op.Warp op, List<Reg> a, List<Reg> b, List<Reg> c) {
    static Optional<Mma> of(Op op) {
      if (!(op instanceof Op.Warp w) || w.owner() != TensorCores.class || !JOINED.contains(w.method())
          || w.writes().size() != ACCUMULATORS || w.guard().isPresent()) return Optional.empty();
      int factors = w.reads().size() - ACCUMULATORS;
      int left = factors * 2 / 3;
      return Optional.of(new Mma(w, w.reads().subList(0, left), w.reads().subList(left, factors),
          w.reads().subList(factors, w.reads().size())));
    }

    List<Reg> d() {
      return op.writes();
    }
  }

  /** Replaces every run that can be joined; the others stay as they are. */
  static List<Op> join(List<Op> ops) {
    var result = new ArrayList<Op>();
    var run = new ArrayList<Mma>();
    for (var op : ops) {
      var mma = Mma.of(op);
      if (mma.isEmpty()) flush(run, result);
      // What does not go with the whole run may go with its end.
      while (mma.isPresent() && !joins(mma.get(), run)) flushFirst(run, result);
      mma.ifPresentOrElse(run::add, () -> result.add(op));
    }
    flush(run, result);
    return result;
  }

  /** All inputs of a run are read before the first result is written, so none may be another's result. */
  private static boolean joins(Mma next, List<Mma> run) {
    if (run.isEmpty()) return true;
    var lefts = new HashSet<>(Set.of(next.a()));
    var rights = new HashSet<>(Set.of(next.b()));
    var read = new HashSet<Reg>();
    var written = new HashSet<Reg>();
    for (var mma : run) {
      lefts.add(mma.a());
      rights.add(mma.b());
      read.addAll(mma.op().reads());
      written.addAll(mma.d());
    }
    return same(run.getFirst().op(), next.op())
        && lefts.size() <= TensorCores.MOST_LEFT && rights.size() <= TensorCores.MOST_RIGHT
        && next.op().reads().stream().noneMatch(written::contains)
        && next.d().stream().noneMatch(r -> read.contains(r) || written.contains(r));
  }

  /** Whether shape and type agree; the type is the last argument. */
  private static boolean same(Op.Warp x, Op.Warp y) {
    return x.method().equals(y.method()) && x.arguments().getLast().equals(y.arguments().getLast());
  }

  private static void flush(List<Mma> run, List<Op> into) {
    while (!run.isEmpty()) flushFirst(run, into);
  }

  /** Emits the longest beginning of a run that multiplies each A by each B, once. */
  private static void flushFirst(List<Mma> run, List<Op> into) {
    var lefts = new LinkedHashSet<List<Reg>>();
    var rights = new LinkedHashSet<List<Reg>>();
    var pairs = new HashSet<List<List<Reg>>>();
    int longest = 1;
    for (int n = 0; n < run.size(); n++) {
      lefts.add(run.get(n).a());
      rights.add(run.get(n).b());
      // The tile has one place for each product.
      if (!pairs.add(List.of(run.get(n).a(), run.get(n).b()))) break;
      if (pairs.size() == lefts.size() * rights.size()) longest = n + 1;
    }
    var first = run.subList(0, longest);
    if (longest == 1) {
      into.add(first.getFirst().op());
    } else {
      emit(first, into);
    }
    first.clear();
  }

  private static void emit(List<Mma> joined, List<Op> into) {
    var one = joined.getFirst().op();
    var lefts = joined.stream().map(Mma::a).distinct().toList();
    var rights = joined.stream().map(Mma::b).distinct().toList();
    for (int i = 0; i < lefts.size(); i++) {
      into.add(call(one, "left", arguments(lefts.get(i), i), lefts.get(i), List.of()));
    }
    for (int j = 0; j < rights.size(); j++) {
      into.add(call(one, "right", arguments(rights.get(j), j), rights.get(j), List.of()));
    }
    for (var mma : joined) {
      var registers = new ArrayList<>(mma.c());
      registers.addAll(mma.d());
      into.add(call(mma.op(), "sums", arguments(registers, lefts.indexOf(mma.a()), rights.indexOf(mma.b())), mma.c(),
          mma.d()));
    }
    int depth = one.method().equals("m16n8k16") ? 16 : 8;
    into.add(call(one, "multiply", List.of(new Op.Argument.IntValue(depth), one.arguments().getLast()), List.of(),
        List.of()));
  }

  private static List<Op.Argument> arguments(List<Reg> registers, int... numbers) {
    var arguments = new ArrayList<Op.Argument>();
    for (int number : numbers) arguments.add(new Op.Argument.IntValue(number));
    for (var r : registers) arguments.add(new Op.Argument.Lanes(r));
    return arguments;
  }

  private static Op.Warp call(Op.Warp of, String method, List<Op.Argument> arguments, List<Reg> reads,
      List<Reg> writes) {
    return new Op.Warp(Optional.empty(), TensorCores.class, method, arguments, new Op.Result.Nothing(), reads, writes,
        of.site());
  }
}
