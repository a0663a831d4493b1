package tilewright.kernels.registry;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A family on the extents that it is measured on: in each element type, or in every variant. */
record FamilyTiming(Family family) implements Timing {

  @Override
  public Set<String> settings() {
    return family.defaults().values().keySet();
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var usual = problems(family.variants().stream()
        .filter(variant -> request.everyVariant() || isPlain(variant, request)), request);
    // Some families' variants leave out most combinations of options, each of which can be asked for.
    return usual.isEmpty() ? problems(asked(request), request) : usual;
  }

  private List<Supplier<TimedProblem>> problems(Stream<Choice> variants, TimingRequest request) {
    var tunings = names(s -> s.kind() == Setting.Kind.TUNING);
    return variants.flatMap(variant -> family.measured().stream().map(extents -> family.sized(variant, extents)))
        .filter(choice -> request.settings().keySet().stream().allMatch(name -> tunings.contains(name)
            || !choice.values().containsKey(name) || request.leaves(name, choice.text(name))))
        .flatMap(choice -> combined(choice, tunings, request).stream())
        .map(choice -> (Supplier<TimedProblem>) () -> problem(choice)).toList();
  }

  private List<String> names(Predicate<Setting> settings) {
    return family.settings().stream().filter(settings).map(Setting::name).toList();
  }

  /** The defaults with the options that are asked for, where the family has such a kernel. */
  private Stream<Choice> asked(TimingRequest request) {
    return combined(family.defaults(), names(Setting::option), request).stream()
        .filter(choice -> family.settings().stream().filter(Setting::option)
            .allMatch(s -> s.values().contains(choice.text(s.name()))))
        .filter(family::supports);
  }

  /** The choice with every combination of the values that are asked for of some settings. */
  private static List<Choice> combined(Choice choice, List<String> settings, TimingRequest request) {
    var all = List.of(choice);
    for (var name : settings) {
      if (!request.has(name)) continue;
      all = all.stream().flatMap(c -> request.values(name, "").stream().map(value -> c.with(Map.of(name, value))))
          .toList();
    }
    return all;
  }

  /** Whether a variant has the default of every option but the element type, or what the user has chosen. */
  private boolean isPlain(Choice variant, TimingRequest request) {
    return family.settings().stream().filter(s -> s.option() && !s.name().equals("dtype"))
        .allMatch(s -> request.has(s.name()) || s.values().getFirst().equals(variant.values().get(s.name())));
  }

  private TimedProblem problem(Choice choice) {
    family.requireSupported(choice);
    var workload = family.workload(choice);
    var arch = family.target(choice).architecture().replaceAll("_|[af]$", "");
    var tensors = workload.operands().stream().filter(o -> o.role() != Operand.Role.SCRATCH)
        .map(o -> new TimedProblem.Tensor(o.name(), o.type(), o.elements(), content(o.fill()))).toList();
    return new TimedProblem(family.name(), arch, choice.toString(), workload.launch(), tensors, workload.bytes(),
        workload.operations(), Map.of("op", family.name(), "settings", choice.values()));
  }

  private static TimedProblem.Content content(Operand.Fill fill) {
    return switch (fill) {
      case Operand.Fill.Normal(double deviation) -> new TimedProblem.Content.Normal(deviation);
      case Operand.Fill.Gaps(double deviation, _) -> new TimedProblem.Content.Normal(deviation);
      case Operand.Fill.Magnitudes(double deviation) -> new TimedProblem.Content.Same(deviation);
      case Operand.Fill.Indices(long bound) -> new TimedProblem.Content.Indices(bound);
      case Operand.Fill.Distinct(long bound) -> new TimedProblem.Content.Indices(bound);
      case Operand.Fill.Targets(long bound, _) -> new TimedProblem.Content.Indices(bound);
      case Operand.Fill.Zeros _ -> new TimedProblem.Content.Zeros();
      case Operand.Fill.Poison _ -> new TimedProblem.Content.Undefined();
    };
  }
}
