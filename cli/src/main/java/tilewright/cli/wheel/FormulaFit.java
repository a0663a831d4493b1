package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.kernels.choice.Formula;

/**
 * Finds the formula of a number in a launch from problems and the numbers that Java has prepared for them. A formula
 * holds for every sample; of several the simplest is taken, in this order: a constant, a straight line in one number of
 * the problem, a guess, a product of extents and tiles of one of them.
 *
 * @param samples problems
 * @param extents names of the numbers that products are made of
 * @param slots names of a number of tokens and of a number of sequences, whose tiles are at most {@code ⌊tokens/tile⌋ +
 *     sequences}
 * @param guesses formulas to try, by the extent of a tile
 */
record FormulaFit(List<Map<String, Long>> samples, List<String> extents, List<Slots> slots,
    List<LongFunction<Formula>> guesses) {
  private static final long[] TILES = LongStream.concat(LongStream.of(1, 2, 4),
      LongStream.rangeClosed(1, 64).map(i -> 8 * i)).toArray();
  private static final long[] SHARERS = {1, 2, 4, 8};
  private static final int MOST_FACTORS = 4;

  FormulaFit {
    samples = List.copyOf(samples);
    extents = List.copyOf(extents);
    slots = List.copyOf(slots);
    guesses = List.copyOf(guesses);
  }

  /** Tiles of packed sequences. */
  record Slots(String tokens, String sequences) {}

  /**
   * A number's value in each sample, and what every product that is tried asks of these: there are ten thousands.
   *
   * @param most the greatest of the values
   * @param limited whether several samples have the greatest, so that it may be a limit
   * @param typical the sample that gives a product's factor: the first with a value between 1 and the greatest
   */
  private record Values(long[] of, long most, boolean limited, int typical) {
    static Values of(long[] values) {
      long most = LongStream.of(values).max().orElseThrow();
      boolean limited = LongStream.of(values).filter(v -> v == most).limit(2).count() > 1;
      int typical = IntStream.range(0, values.length).filter(i -> values[i] != most && values[i] > 1).findFirst()
          .orElse(0);
      return new Values(values, most, limited, typical);
    }
  }

  /** Finds the formula of a number, given its value in each sample. */
  Optional<Formula> find(long[] numbers) {
    if (LongStream.of(numbers).allMatch(n -> n == numbers[0])) return Optional.of(Formula.of(numbers[0]));
    var values = Values.of(numbers);
    return names().map(name -> line(name, values)).flatMap(Optional::stream).findFirst()
        .or(() -> guesses.stream().flatMap(guess -> LongStream.of(TILES).mapToObj(guess))
            .map(guess -> holds(guess, values) ? Optional.of(guess) : scaled(guess, values))
            .flatMap(Optional::stream).findFirst())
        .or(() -> product(values));
  }

  private Stream<String> names() {
    return samples.getFirst().keySet().stream().sorted();
  }

  private boolean holds(Formula formula, Values values) {
    for (int i = 0; i < values.of.length; i++) if (formula.at(samples.get(i)) != values.of[i]) return false;
    return true;
  }

  /** A straight line through the first sample and the next with another number. */
  private Optional<Formula> line(String name, Values values) {
    long first = samples.getFirst().get(name);
    var other = IntStream.range(1, values.of.length).filter(i -> samples.get(i).get(name) != first).findFirst();
    if (other.isEmpty()) return Optional.empty();
    long run = samples.get(other.getAsInt()).get(name) - first;
    long rise = values.of[other.getAsInt()] - values.of[0];
    var variable = Formula.of(name);
    var found = new ArrayList<Formula>();
    if (rise % run == 0) {
      long slope = rise / run;
      long offset = values.of[0] - slope * first;
      var scaled = variable.times(Math.abs(slope));
      if (slope < 0) found.add(Formula.of(offset).minus(scaled));
      else found.add(offset == 0 ? scaled : scaled.plus(Formula.of(offset)));
    } else if (values.of[0] > 0 && first > 0 && first % values.of[0] == 0) {
      found.add(variable.dividedBy(Formula.of(first / values.of[0])));
    }
    return found.stream().filter(formula -> holds(formula, values)).findFirst();
  }

  private Optional<Formula> product(Values values) {
    for (int set = 1; set < 1 << extents.size(); set++) {
      int chosen = set;
      var members = IntStream.range(0, extents.size()).filter(i -> (chosen >> i & 1) == 1).mapToObj(extents::get)
          .toList();
      if (members.size() > MOST_FACTORS) continue;
      var found = tilings(members).map(p -> scaled(p, values)).flatMap(Optional::stream).findFirst();
      if (found.isPresent()) return found;
    }
    return Optional.empty();
  }

  /** Products of these extents: all as they are, or one in tiles, or tiles of packed sequences beside them. */
  private Stream<Formula> tilings(List<String> members) {
    var plain = members.stream().map(Formula::of).reduce(Formula.of(1), Formula::times);
    var tiled = members.stream().flatMap(tile -> {
      var rest = members.stream().filter(m -> !m.equals(tile)).map(Formula::of).reduce(Formula.of(1), Formula::times);
      return LongStream.of(SHARERS).boxed().flatMap(sharers -> LongStream.of(TILES).mapToObj(extent ->
          rest.times(Formula.of(tile).times(sharers).ceilDiv(Formula.of(extent)))));
    });
    var packed = slots.stream().filter(s -> members.contains(s.tokens) && members.contains(s.sequences)).flatMap(s -> {
      var rest = members.stream().filter(m -> !m.equals(s.tokens) && !m.equals(s.sequences)).map(Formula::of)
          .reduce(Formula.of(1), Formula::times);
      return LongStream.of(TILES).mapToObj(extent ->
          rest.times(Formula.of(s.tokens).dividedBy(Formula.of(extent)).plus(Formula.of(s.sequences))));
    });
    return Stream.of(Stream.of(plain), tiled, packed).flatMap(s -> s);
  }

  /** The product times a number, or divided by one, and within limits if that is not enough. */
  private Optional<Formula> scaled(Formula product, Values values) {
    long value = values.of[values.typical];
    long base = (long) product.at(samples.get(values.typical));
    if (base == 0 || value == 0) return Optional.empty();
    Formula scaled;
    if (value % base == 0) scaled = product.times(value / base);
    else if (base % value == 0) scaled = product.dividedBy(Formula.of(base / value));
    else return Optional.empty();
    if (holds(scaled, values)) return Optional.of(scaled);
    if (!values.limited) return Optional.empty();
    var clamped = scaled.max(Formula.of(1)).min(Formula.of(values.most));
    return holds(clamped, values) ? Optional.of(clamped) : Optional.empty();
  }
}
