package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.simulator.core.TensorCores;

/**
 * Joins neighbouring {@code mma} instructions that share their A fragment, as the inner loop of every GEMM has them,
 * into one multiplication by a wider B. Loops and vectors over its columns are long enough to be fast.
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
      if (mma.isEmpty() || !joins(mma.get(), run)) flush(run, result);
      mma.ifPresentOrElse(run::add, () -> result.add(op));
    }
    flush(run, result);
    return result;
  }

  /** All inputs of a run are read before the first result is written, so none may be another's result. */
  private static boolean joins(Mma next, List<Mma> run) {
    if (run.isEmpty()) return true;
    var first = run.getFirst();
    if (run.size() == TensorCores.MOST_JOINED || !first.a().equals(next.a()) || !same(first.op(), next.op())) {
      return false;
    }
    var read = new HashSet<>(first.a());
    var written = new HashSet<Reg>();
    for (var mma : run) {
      read.addAll(mma.b());
      read.addAll(mma.c());
      written.addAll(mma.d());
    }
    return next.op().reads().stream().noneMatch(written::contains)
        && next.d().stream().noneMatch(r -> read.contains(r) || written.contains(r));
  }

  /** Whether shape and type agree; the type is the last argument. */
  private static boolean same(Op.Warp x, Op.Warp y) {
    return x.method().equals(y.method()) && x.arguments().getLast().equals(y.arguments().getLast());
  }

  private static void flush(List<Mma> run, List<Op> into) {
    if (run.size() < 2) {
      run.forEach(mma -> into.add(mma.op()));
    } else {
      var first = run.getFirst();
      into.add(call(first.op(), "left", lanes(first.a()), first.a(), List.of()));
      for (var mma : run) {
        var inputs = new ArrayList<>(mma.b());
        inputs.addAll(mma.c());
        var arguments = lanes(inputs);
        arguments.addAll(lanes(mma.d()));
        into.add(call(mma.op(), "right", arguments, inputs, mma.d()));
      }
      into.add(call(first.op(), "multiply", List.of(first.op().arguments().getLast()), List.of(), List.of()));
    }
    run.clear();
  }

  private static List<Op.Argument> lanes(List<Reg> registers) {
    var arguments = new ArrayList<Op.Argument>();
    for (var r : registers) arguments.add(new Op.Argument.Lanes(r));
    return arguments;
  }

  private static Op.Warp call(Op.Warp of, String method, List<Op.Argument> arguments, List<Reg> reads,
      List<Reg> writes) {
    return new Op.Warp(Optional.empty(), TensorCores.class, method, arguments, new Op.Result.Nothing(), reads, writes,
        of.site());
  }
}
