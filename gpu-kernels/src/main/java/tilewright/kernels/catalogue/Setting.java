package tilewright.kernels.catalogue;

import java.util.List;

/**
 * Something that can be set of a kernel.
 *
 * @param values for an extent its default, else all there are, the default first; of a tuning with a single value any
 *     number from 1 on is another
 */
public record Setting(String name, List<String> values, Kind kind) {
  /** The tuning that is not set: the kernel's own choice. */
  public static final String AUTO = "auto";

  public Setting {
    values = List.copyOf(values);
  }

  /** What a setting changes. */
  public enum Kind {
    /** The problem's size. */
    EXTENT,
    /** The kernel: every combination of options is a variant. */
    OPTION,
    /** Only how fast it is. */
    TUNING
  }

  static Setting extent(String name, int value) {
    return new Setting(name, List.of(Integer.toString(value)), Kind.EXTENT);
  }

  static Setting option(String name, String... values) {
    return new Setting(name, List.of(values), Kind.OPTION);
  }

  /** Any number. */
  public static Setting tuning(String name) {
    return new Setting(name, List.of(AUTO), Kind.TUNING);
  }

  public boolean extent() {
    return kind == Kind.EXTENT;
  }

  public boolean option() {
    return kind == Kind.OPTION;
  }

  /** Whether a value is allowed. */
  boolean allows(String value) {
    return values.contains(value) || kind == Kind.TUNING && values.size() == 1 && value.matches("[0-9]{1,6}");
  }
}
