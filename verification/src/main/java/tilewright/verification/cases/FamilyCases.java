package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Workload;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Comparison;
import tilewright.reference.TensorView;

/** Every variant of every family, on the extents that break kernels, once with NaNs and infinities among the inputs. */
public final class FamilyCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final double[] SPECIAL = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0};
  private static final int MOST_SPECIAL = 5;
  /** The reciprocal share of targets that are no class, and of gaps. */
  private static final int OTHERS = 4;

  private FamilyCases() {}

  /** The {@link #sample}, then every variant on all extents, and on the last with NaNs. */
  public static List<Case> of(Family family, long seed) {
    var cases = new ArrayList<>(sample(family, seed));
    var others = family.variants().subList(1, family.variants().size());
    for (var variant : others) {
      for (var extents : family.awkward().subList(0, family.awkward().size() - 1)) {
        cases.add(new Inputs(family, family.sized(variant, extents), false, seed).makeCase());
      }
      cases.add(new Inputs(family, last(family, variant), true, seed).makeCase());
    }
    return cases;
  }

  /** The first variant on all extents, with NaNs and with each extent 0; every other one on its last extents. */
  public static List<Case> sample(Family family, long seed) {
    var cases = new ArrayList<Case>();
    var first = family.variants().getFirst();
    for (var extents : family.awkward()) {
      cases.add(new Inputs(family, family.sized(first, extents), false, seed).makeCase());
    }
    cases.add(new Inputs(family, last(family, first), true, seed).makeCase());
    withNone(family, first).forEach(c -> cases.add(new Inputs(family, c, false, seed).makeCase()));
    for (var variant : family.variants().subList(1, family.variants().size())) {
      cases.add(new Inputs(family, last(family, variant), false, seed).makeCase());
    }
    return cases;
  }

  private static Choice last(Family family, Choice variant) {
    return family.sized(variant, family.awkward().getLast());
  }

  /** The last extents with one of them 0, each in turn. */
  private static Stream<Choice> withNone(Family family, Choice variant) {
    var last = last(family, variant);
    return family.settings().stream().filter(s -> s.extent() && !family.positive().contains(s.name()))
        .map(s -> last.with(Map.of(s.name(), "0")));
  }

  /** The kernel of these settings on every of the family's extents that they leave open, and on the last with NaNs. */
  public static List<Case> chosen(Family family, Map<String, String> settings, long seed) {
    var choices = family.awkward().stream().map(extents -> family.sized(family.defaults(), extents).with(settings))
        .distinct().toList();
    return Stream.concat(choices.stream().map(choice -> one(family, choice, seed)),
        Stream.of(new Inputs(family, choices.getLast(), true, seed).makeCase())).toList();
  }

  /** One choice, whatever its extents and tunings. */
  public static Case one(Family family, Choice choice, long seed) {
    return new Inputs(family, choice, false, seed).makeCase();
  }

  /** Fresh buffers for one choice. */
  public static Map<String, MemorySegment> buffers(Family family, Choice choice, long seed) {
    return new Inputs(family, choice, false, seed).buffers();
  }

  /** One choice and what its tensors hold. */
  private static final class Inputs {
    private final Family family;
    private final Choice choice;
    private final boolean special;
    private final long seed;
    private Optional<Workload> made = Optional.empty();

    Inputs(Family family, Choice choice, boolean special, long seed) {
      this.family = family;
      this.choice = choice;
      this.special = special;
      this.seed = seed;
    }

    Case makeCase() {
      var config = choice + (special ? " with NaN and infinities" : "");
      return new Case(family.name(), "sm" + family.target(choice).capability(), config, EVERYWHERE,
          Price.of(family, choice), () -> workload().launch(), this::buffers, (in, out, _) -> compare(in, out));
    }

    private Workload workload() {
      if (made.isEmpty()) made = Optional.of(family.workload(choice));
      return made.get();
    }

    private Map<String, MemorySegment> buffers() {
      var buffers = new HashMap<String, MemorySegment>();
      var random = new SplittableRandom(seed);
      for (var operand : workload().operands()) buffers.put(operand.name(), filled(operand, random.split()));
      return buffers;
    }

    private MemorySegment filled(Operand operand, SplittableRandom random) {
      var type = operand.type();
      if (operand.elements() == 0) return Buffers.poisoned(ElementType.F32, 4);
      return switch (operand.fill()) {
        case Operand.Fill.Poison _ -> Buffers.poisoned(type, operand.elements());
        case Operand.Fill.Zeros _ -> Buffers.poisoned(type, operand.elements()).fill((byte) 0);
        case Operand.Fill.Indices(long bound) -> fill(operand, () -> random.nextLong(bound), random, false);
        case Operand.Fill.Distinct(long bound) -> {
          var numbers = LongStream.range(0, bound).boxed().collect(Collectors.toCollection(ArrayList::new));
          Collections.shuffle(numbers, new Random(random.nextLong()));
          yield fill(operand, numbers::removeLast, random, false);
        }
        case Operand.Fill.Targets(long bound, int other) ->
            fill(operand, () -> random.nextInt(OTHERS) == 0 ? other : random.nextLong(bound), random, false);
        case Operand.Fill.Gaps(double scale, double other) ->
            fill(operand, () -> random.nextInt(OTHERS) == 0 ? other : scale * random.nextGaussian(), random, special);
        case Operand.Fill.Magnitudes(double scale) ->
            fill(operand, () -> Math.abs(scale * random.nextGaussian()), random, special);
        case Operand.Fill.Normal(double scale) -> fill(operand, () -> scale * random.nextGaussian(), random, special);
      };
    }

    private static MemorySegment fill(Operand operand, Supplier<Number> numbers, SplittableRandom random,
        boolean special) {
      var view = view(operand.type(), operand.elements(), Buffers.poisoned(operand.type(), operand.elements()));
      for (long i = 0; i < view.size(); i++) view.set(i, numbers.get().doubleValue());
      if (special) {
        for (int i = 0; i < MOST_SPECIAL; i++) view.set(random.nextLong(view.size()), SPECIAL[i % SPECIAL.length]);
      }
      return view.data();
    }

    private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
      var numbers = new HashMap<String, double[]>();
      for (var operand : workload().operands()) numbers.put(operand.name(), numbers(operand, in));
      var total = new Verdict(OptionalDouble.of(0), OptionalDouble.of(0), Optional.empty(), Optional.empty());
      for (var expected : workload().reference().of(numbers)) {
        var operand = workload().operands().stream().filter(o -> o.name().equals(expected.tensor())).findFirst()
            .orElseThrow();
        var comparison = Comparison.of(numbers(operand, out), expected.exact(), expected.stepwise(), operand.type(),
            IntStream.range(0, expected.exact().length).toArray());
        var violation = comparison.violation().or(() -> expected.bitwise() && !comparison.bitExact()
            ? Optional.of("not the bits of the reference") : Optional.empty()).map(v -> operand.name() + ": " + v);
        total = worse(total, comparison, expected.bitwise(), violation);
      }
      return new Verdict(total.maxError(), total.meanError(), total.bitExact(),
          total.violation().or(() -> leftBehind(out)));
    }

    /** Counters that the next launch would not find at zero. */
    private Optional<String> leftBehind(Map<String, MemorySegment> out) {
      return workload().operands().stream().filter(Operand::isCounter)
          .filter(o -> Arrays.stream(numbers(o, out)).anyMatch(n -> n != 0)).findFirst()
          .map(o -> o.name() + ": not zeros again after the launch");
    }

    private static Verdict worse(Verdict total, Comparison next, boolean bitwise, Optional<String> violation) {
      return new Verdict(OptionalDouble.of(Math.max(total.maxError().getAsDouble(), next.maxError())),
          OptionalDouble.of(Math.max(total.meanError().getAsDouble(), next.meanError())),
          bitwise ? Optional.of(next.bitExact() && total.bitExact().orElse(true)) : total.bitExact(),
          total.violation().or(() -> violation));
    }

    private static double[] numbers(Operand operand, Map<String, MemorySegment> buffers) {
      if (operand.elements() == 0) return new double[0];
      return view(operand.type(), operand.elements(), buffers.get(operand.name())).values();
    }

    private static TensorView view(ElementType type, long elements, MemorySegment buffer) {
      return new TensorView(type, buffer, Layout.of(elements, 1));
    }
  }
}
