package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;

/** Quotients of shapes: CuTe's shape_div, decided integer by integer and recorded as the certificate, and ceil_div. */
public final class ShapeDivision {
  private final String operation;
  private final List<Step> steps = new ArrayList<>();
  private Optional<Decision.Undefined<IntTuple>> refusal = Optional.empty();

  /** One quotient of integers. */
  private record Step(long dividend, long divisor, long quotient) {
    boolean holds() {
      return dividend % divisor == 0 ? quotient * divisor == dividend : divisor % dividend == 0 && quotient == 1;
    }
  }

  private record StepsCertificate(List<Step> steps) implements Certificate {
    @Override
    public boolean holds() {
      return steps.stream().allMatch(Step::holds);
    }

    @Override
    public String explain() {
      return String.join("; ", steps.stream().map(s -> s.dividend() + " / " + s.divisor() + " is " + s.quotient()
          + (s.dividend() % s.divisor() == 0 ? "" : ", for the dividend divides the divisor")).toList());
    }
  }

  private ShapeDivision(String operation) {
    this.operation = operation;
  }

  /** a / b like {@link TupleArithmetic#ceilDiv}, but exact: of two integers, one divides the other. */
  public static Decision<IntTuple> of(IntTuple a, IntTuple b) {
    var division = new ShapeDivision("shape_div(" + a + ", " + b + ")");
    var quotient = division.quotient(a, b);
    if (division.refusal.isPresent()) return division.refusal.get();
    return new Decision.Defined<>(quotient, new StepsCertificate(List.copyOf(division.steps)));
  }

  /**
   * The shape of the tiler's complement in the target: the number of tiles, by mode of the target, that cover it.
   *
   * @return undefined where the complement is
   */
  public static Decision<IntTuple> ceilDiv(IntTuple target, Layout tiler) {
    long end = Modes.of(tiler.filter()).list().stream().mapToLong(Modes.Mode::reach).reduce(1, Math::max);
    long bound = Math.multiplyExact(end, TupleArithmetic.ceilDiv(target, IntTuple.of(end)).size());
    return switch (Complement.of(tiler, bound)) {
      case Decision.Undefined<Layout> undefined -> undefined.as("ceil_div(" + target + ", " + tiler + ")");
      case Decision.Defined<Layout>(var rest, var certificate) -> new Decision.Defined<>(rest.shape(), certificate);
    };
  }

  private IntTuple quotient(IntTuple a, IntTuple b) {
    if (a instanceof IntTuple.Leaf leaf) return IntTuple.of(quotient(leaf.value(), b.size()));
    if (b instanceof IntTuple.Leaf leaf) return folded(a, new long[] {leaf.value()});
    TupleArithmetic.requireEqualRank(operation, a, b);
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < a.rank(); i++) modes.add(quotient(a.mode(i), b.mode(i)));
    return IntTuple.of(modes);
  }

  private IntTuple folded(IntTuple a, long[] divisor) {
    if (a instanceof IntTuple.Leaf leaf) {
      long by = divisor[0];
      long quotient = quotient(leaf.value(), by);
      if (refusal.isEmpty()) divisor[0] = by % leaf.value() == 0 ? by / leaf.value() : 1;
      return IntTuple.of(quotient);
    }
    return IntTuple.of(a.modes().stream().map(m -> folded(m, divisor)).toList());
  }

  private long quotient(long a, long b) {
    if (refusal.isPresent()) return 0;
    if (a < 1 || b < 1) {
      refuse("both are at least 1", a + " / " + b);
      return 0;
    }
    if (a % b != 0 && b % a != 0) {
      refuse("of two integers, one divides the other", a + " and " + b);
      return 0;
    }
    var step = new Step(a, b, Math.ceilDiv(a, b));
    steps.add(step);
    return step.quotient();
  }

  private void refuse(String condition, String numbers) {
    refusal = Optional.of(Decision.Undefined.of(operation, condition, numbers));
  }
}
