package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.choice.Correction;
import tilewright.kernels.choice.Formula;

/**
 * The problems of an operator that share types and options, such as causal attention of BF16.
 *
 * @param key the types and options, as Python joins them
 * @param axes the numbers that the choice of kernels depends on
 * @param extents names of the numbers that products in launches are made of
 * @param slots numbers of tokens and of sequences that tiles of packed sequences come from
 * @param guesses formulas that launches may have, by the extent of a tile
 * @param problem from numbers to launches
 * @param candidates launches of which the one with the least cost is chosen; none where the choice is by axes
 * @param correction of the costs of candidates that have features
 * @param derived numbers that are computed from others, and from those before them
 */
record OperatorCase(String key, List<DecisionTree.Axis> axes, List<String> extents, List<FormulaFit.Slots> slots,
    List<LongFunction<Formula>> guesses, Problem problem, List<Candidate> candidates, Optional<Correction> correction,
    List<Derived> derived) {
  /** A case whose choice depends on the axes. */
  OperatorCase(String key, List<DecisionTree.Axis> axes, List<String> extents, List<FormulaFit.Slots> slots,
      List<LongFunction<Formula>> guesses, Problem problem) {
    this(key, axes, extents, slots, guesses, problem, List.of(), Optional.empty(), List.of());
  }

  /** Returns this with numbers that are computed from others. */
  OperatorCase deriving(List<Derived> numbers) {
    return new OperatorCase(key, axes, extents, slots, guesses, problem, candidates, correction, numbers);
  }

  /** A number that is computed from others, such as how many parts a problem is split into. */
  record Derived(String name, Formula formula) {
    /** Adds numbers to those that they are computed from. */
    static void addTo(Map<String, Long> numbers, List<Derived> all) {
      all.forEach(number -> numbers.put(number.name, (long) number.formula.at(numbers)));
    }
  }

  /**
   * Launches that may be chosen.
   *
   * @param cost the least is chosen, of equal ones the first
   * @param features by which the cost is corrected; none where it is not
   * @param form a number for each of the kernels that problems of one form have
   * @param blocks of the grid
   * @param launches of a problem, whether they are chosen for it or not
   */
  record Candidate(String name, Formula cost, List<Formula> features, Formula form, Formula blocks,
      Function<Map<String, Long>, LaunchSequence> launches) {}

  /** A problem by its numbers. */
  interface Problem {
    /**
     * Draws the numbers of a problem.
     *
     * @param axes the numbers that the choice depends on
     * @return all numbers, which {@link DecisionTree.Axis#formula} maps to those of the axes
     */
    Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random);

    /** @throws IllegalArgumentException where no kernel computes the problem */
    LaunchSequence prepare(Map<String, Long> numbers);
  }
}
