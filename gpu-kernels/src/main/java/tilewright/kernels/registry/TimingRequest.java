package tilewright.kernels.registry;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;

/**
 * A request for timings.
 *
 * @param settings values by name, several with commas between
 * @param everyVariant whether to time every configuration, not only the one that the kernel chooses
 * @param size the extents of matrix multiplies that the settings leave open
 */
public record TimingRequest(Map<String, String> settings, boolean everyVariant, int size) {
  public TimingRequest {
    settings = Map.copyOf(settings);
  }

  public boolean has(String setting) {
    return settings.containsKey(setting);
  }

  /** The values of a setting, or one other where it is not set. */
  public List<String> values(String setting, String otherwise) {
    return List.of(settings.getOrDefault(setting, otherwise).split(","));
  }

  /** Whether a setting leaves a value: it names it, or is not set. */
  public boolean leaves(String setting, String value) {
    return values(setting, value).contains(value);
  }

  /** The extent that a setting says, or the size that all extents have. */
  public int extent(String setting) {
    return has(setting) ? measurable(setting, settings.get(setting)) : size;
  }

  /** @throws IllegalArgumentException unless a setting has a number from 1 on: what has no extent has no rate */
  public static int measurable(String setting, String value) {
    int number = new Choice(Map.of(setting, value)).number(setting);
    if (number > 0) return number;
    throw new IllegalArgumentException("invalid " + setting + "=0: there is nothing to measure, needed is 1 at least");
  }

  /** M, N and K of each problem: a list such as {@code 16x4096x4096,2048x2048x2048}, or the one of m, n and k. */
  public List<List<Integer>> shapes() {
    if (!has("shape")) return List.of(List.of(extent("m"), extent("n"), extent("k")));
    return values("shape", "").stream().map(TimingRequest::shape).toList();
  }

  private static List<Integer> shape(String text) {
    if (!text.matches("[1-9]\\d{0,8}(x[1-9]\\d{0,8}){2}")) {
      throw new IllegalArgumentException("invalid shape " + text + ": needed is MxNxK, such as 16x4096x4096");
    }
    return Stream.of(text.split("x")).map(Integer::valueOf).toList();
  }

  /** The element types that a setting names. */
  public List<ElementType> types(String setting, ElementType otherwise) {
    return values(setting, otherwise.text()).stream().map(TimingRequest::type).toList();
  }

  /** The element type that a setting names. */
  public ElementType type(String setting, ElementType otherwise) {
    return has(setting) ? type(settings.get(setting)) : otherwise;
  }

  private static ElementType type(String text) {
    return ElementType.parse(text).orElseThrow(() -> new IllegalArgumentException("no type is called " + text));
  }
}
