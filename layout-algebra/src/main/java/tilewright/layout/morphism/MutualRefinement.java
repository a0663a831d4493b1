package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.morphism.Refinement.Mutual;
import tilewright.layout.tuple.IntTuple;

/** Splits two tuples' integers, left to right, until the first's are the beginning of the second's. */
final class MutualRefinement {
  private final IntTuple tuple;
  private final long[] extents;
  /** The factors so far of each integer of the tuple that was reached. */
  private final List<List<Long>> factors = new ArrayList<>();
  private int at;
  private long left;

  private MutualRefinement(IntTuple tuple) {
    this.tuple = tuple;
    extents = tuple.flatten();
    begin();
  }

  static Decision<Mutual> of(IntTuple first, IntTuple second) {
    var operation = "mutual refinement of " + first + " and " + second;
    var a = new MutualRefinement(first);
    var b = new MutualRefinement(second);
    while (!a.isDone()) {
      if (b.isDone() && !b.factors.isEmpty() && a.left == 1) {
        a.split(1);
        b.factors.getLast().add(1L);
        continue;
      }
      if (b.isDone()) {
        return Reasons.undefined(operation, "the second tuple is at least as long as the first", a.at,
            a.left + " is left where " + second + " has ended");
      }
      long factor = Math.min(a.left, b.left);
      if (a.left % factor != 0 || b.left % factor != 0) {
        return Reasons.undefined(operation, "of two integers that meet, one divides the other", a.at,
            a.left + " meets " + b.left + " of " + second);
      }
      a.split(factor);
      b.split(factor);
    }
    var result = new Mutual(a.result(), b.result());
    return new Decision.Defined<>(result, new MutualCertificate(first, second, result));
  }

  private boolean isDone() {
    return at == extents.length;
  }

  private void begin() {
    if (isDone()) return;
    factors.add(new ArrayList<>());
    left = extents[at];
  }

  private void split(long factor) {
    factors.getLast().add(factor);
    left /= factor;
    if (left == 1) {
      at++;
      begin();
    }
  }

  private IntTuple result() {
    if (!isDone()) {
      factors.getLast().add(left);
      at++;
    }
    var parts = new ArrayList<IntTuple>();
    for (int i = 0; i < extents.length; i++) {
      parts.add(i < factors.size() ? Trees.leafOrFlat(factors.get(i)) : IntTuple.of(extents[i]));
    }
    return Trees.substitute(tuple, parts);
  }

  record MutualCertificate(IntTuple first, IntTuple second, Mutual result) implements Certificate {
    @Override
    public boolean holds() {
      long[] begin = result.first().flatten();
      long[] all = result.second().flatten();
      if (begin.length > all.length) return false;
      for (int i = 0; i < begin.length; i++) {
        if (begin[i] != all[i]) return false;
      }
      return Refinement.refines(result.first(), first) && Refinement.refines(result.second(), second);
    }

    @Override
    public String explain() {
      return result.first() + " refines " + first + ", " + result.second() + " refines " + second
          + ", and the integers of the one begin those of the other";
    }
  }
}
