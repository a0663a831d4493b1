package tilewright.kernels.registry;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.numerics.ElementType;

/** A value for every setting of a kernel. */
public record Choice(Map<String, String> values) {
  public Choice {
    // In the order of the settings, for reports.
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /** Returns this choice with other values. */
  public Choice with(Map<String, String> other) {
    var merged = new LinkedHashMap<>(values);
    merged.putAll(other);
    return new Choice(merged);
  }

  public String text(String name) {
    return values.get(name);
  }

  /** @throws IllegalArgumentException unless the value is a whole number from 0 on */
  public int number(String name) {
    try {
      if (values.get(name).matches("[0-9]+")) return Integer.parseInt(values.get(name));
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw new IllegalArgumentException("invalid " + name + "=" + values.get(name)
        + ": needed is a whole number from 0 to " + Integer.MAX_VALUE);
  }

  /** A tuning's number, or the kernel's own choice. */
  public int tuned(String name, int own) {
    return Setting.AUTO.equals(values.getOrDefault(name, Setting.AUTO)) ? own : number(name);
  }

  /** A factor's value. */
  public float factor(String name) {
    return Float.parseFloat(values.get(name));
  }

  /** The elements of one access, which has as many bytes as the option says, and one element at least. */
  public int vector(String name, ElementType type) {
    return Math.max(1, number(name) / type.bytes());
  }

  /** @throws IllegalArgumentException unless the value names an element type */
  public ElementType type(String name) {
    return ElementType.parse(values.get(name)).orElseThrow(() ->
        new IllegalArgumentException("invalid " + name + "=" + values.get(name) + ": not an element type"));
  }

  /** The chosen values, without those that are left to the kernel. */
  @Override
  public String toString() {
    return values.entrySet().stream().filter(e -> !e.getValue().equals(Setting.AUTO))
        .map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
  }
}
