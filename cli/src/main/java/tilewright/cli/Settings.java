package tilewright.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/** Values of a kernel's settings by name: what {@code --set} says over the kernel's own. */
record Settings(Map<String, String> values) {

  /** @throws CommandFailure if the kernel has no such setting */
  Settings with(Map<String, String> chosen) {
    var merged = new LinkedHashMap<>(values);
    chosen.forEach((name, value) -> {
      if (merged.replace(name, value) == null) {
        throw CommandFailure.badInput("invalid --set " + name + "=" + value + ": the kernel has no setting " + name
            + NearestName.hint(name, values.keySet(), "; it has " + (values.isEmpty() ? "none"
            : String.join(", ", values.keySet()))));
      }
    });
    return new Settings(merged);
  }

  /** An integer from 0 on. */
  int extent(String name) {
    return number(name, 0);
  }

  /** An integer from 1 on: of something there must be some of. */
  int count(String name) {
    return number(name, 1);
  }

  private int number(String name, int least) {
    var value = values.get(name);
    try {
      var number = Integer.parseInt(value);
      if (number >= least) return number;
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw CommandFailure.badInput("invalid --set " + name + "=" + value + ": needed is an integer from " + least
        + " on");
  }

  /** Any finite number. */
  float number(String name) {
    try {
      float number = Float.parseFloat(values.get(name));
      if (Float.isFinite(number)) return number;
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw CommandFailure.badInput("invalid --set " + name + "=" + values.get(name) + ": needed is a finite number");
  }

  ElementType type(String name, ElementType... allowed) {
    return ElementType.parse(values.get(name)).filter(List.of(allowed)::contains).orElseThrow(() -> invalid(name,
        List.of(allowed).stream().map(ElementType::text).toList()));
  }

  String choice(String name, String... allowed) {
    var value = values.get(name);
    if (!List.of(allowed).contains(value)) throw invalid(name, List.of(allowed));
    return value;
  }

  private CommandFailure invalid(String name, List<String> allowed) {
    return CommandFailure.badInput("invalid --set " + name + "=" + values.get(name) + ": "
        + String.join(" or ", allowed));
  }

  @Override
  public String toString() {
    return String.join(" ", values.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }
}
