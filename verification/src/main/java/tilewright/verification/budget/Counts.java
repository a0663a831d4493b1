package tilewright.verification.budget;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The count of each {@link Amount}. */
public record Counts(Map<Amount, Double> amounts) {
  public Counts {
    amounts = Collections.unmodifiableMap(new EnumMap<>(amounts));
  }

  static Counts of(ToDoubleFunction<Amount> amount) {
    return new Counts(Arrays.stream(Amount.values()).collect(Collectors.toMap(a -> a, amount::applyAsDouble)));
  }

  public double of(Amount amount) {
    return amounts.getOrDefault(amount, 0.0);
  }

  /** Sums the work of one unit: operations, warp instructions, or bytes. */
  public double of(Unit unit) {
    return Arrays.stream(Amount.values()).filter(a -> a.unit().filter(unit::equals).isPresent())
        .mapToDouble(this::of).sum();
  }

  Counts plus(Counts other) {
    return with(other, Double::sum);
  }

  Counts minus(Counts other) {
    return with(other, (a, b) -> a - b);
  }

  Counts times(double factor) {
    return of(a -> of(a) * factor);
  }

  private Counts with(Counts other, DoubleBinaryOperator both) {
    return of(a -> both.applyAsDouble(of(a), other.of(a)));
  }
}
