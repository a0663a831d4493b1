package tilewright.kernels.registry;

import java.util.List;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;

/**
 * Something that can be set of a kernel.
 *
 * @param values the values that are allowed, the default first; extents, counts, factors and texts have their default
 *     only, and a tuning with a single value allows every number from 1 on besides
 */
public record Setting(String name, List<String> values, Kind kind) {
  /** The tuning that is not set: the kernel's own choice. */
  public static final String AUTO = "auto";

  public Setting {
    values = List.copyOf(values);
  }

  /** The kind of thing that a setting changes. */
  public enum Kind {
    /** The problem's size. */
    EXTENT,
    /** The kernel: every combination of options is a variant. */
    OPTION,
    /** Only how fast it is. */
    TUNING,
    /** The problem's size, where there is no problem of size 0. */
    COUNT,
    /** A finite number that the launch is given. */
    FACTOR,
    /** Words that the kernel reads by itself. */
    TEXT
  }

  public static Setting extent(String name, int value) {
    return new Setting(name, List.of(Integer.toString(value)), Kind.EXTENT);
  }

  public static Setting option(String name, String... values) {
    return new Setting(name, List.of(values), Kind.OPTION);
  }

  /** An option of the element types, the default first. */
  public static Setting types(String name, ElementType... types) {
    return option(name, Stream.of(types).map(ElementType::text).toArray(String[]::new));
  }

  public static Setting count(String name, int value) {
    return new Setting(name, List.of(Integer.toString(value)), Kind.COUNT);
  }

  public static Setting factor(String name, int value) {
    return new Setting(name, List.of(Integer.toString(value)), Kind.FACTOR);
  }

  /** A factor whose default is any finite number. */
  public static Setting factor(String name, String value) {
    return new Setting(name, List.of(value), Kind.FACTOR);
  }

  public static Setting text(String name, String value) {
    return new Setting(name, List.of(value), Kind.TEXT);
  }

  /** A tuning with any number as its value. */
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
    return switch (kind) {
      case OPTION -> values.contains(value);
      case TUNING -> values.contains(value) || values.size() == 1 && value.matches("[0-9]{1,6}");
      case EXTENT -> isIntegerFrom(0, value);
      case COUNT -> isIntegerFrom(1, value);
      case FACTOR -> isFinite(value);
      case TEXT -> true;
    };
  }

  /** @throws InvalidSettingException unless the value is allowed */
  public void require(String value) {
    if (!allows(value)) throw new InvalidSettingException(name, value, needed());
  }

  private String needed() {
    return switch (kind) {
      case EXTENT -> "needed is an integer from 0 on";
      case COUNT -> "needed is an integer from 1 on";
      case FACTOR -> "needed is a finite number";
      case OPTION, TUNING, TEXT -> String.join(" or ", values);
    };
  }

  private static boolean isIntegerFrom(int least, String value) {
    try {
      return value.matches("[0-9]+") && Integer.parseInt(value) >= least;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private static boolean isFinite(String value) {
    try {
      return Float.isFinite(Float.parseFloat(value));
    } catch (NumberFormatException _) {
      return false;
    }
  }
}
