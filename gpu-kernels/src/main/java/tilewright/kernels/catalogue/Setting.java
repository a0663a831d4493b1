package tilewright.kernels.catalogue;

import java.util.List;

/**
 * Something that can be set of a kernel.
 *
 * @param values for an extent its default, for an option all there are, the default first
 */
public record Setting(String name, List<String> values, boolean extent) {
  public Setting {
    values = List.copyOf(values);
  }

  static Setting extent(String name, int value) {
    return new Setting(name, List.of(Integer.toString(value)), true);
  }

  static Setting option(String name, String... values) {
    return new Setting(name, List.of(values), false);
  }
}
