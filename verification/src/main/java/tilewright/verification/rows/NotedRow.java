package tilewright.verification.rows;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;

/**
 * A row of a table of kernels, and Tilewright's counterpart.
 *
 * @param name the kernel's name in that table
 * @param types its element and accumulator types there, in the table's words
 */
public record NotedRow(String section, String name, String types, Counterpart counterpart) {
  private static final String MISSING = "- ";
  private static final String PAGE = "@";

  /** Tilewright's answer to a row. */
  public sealed interface Counterpart {}

  /** A kernel with settings, those that are not named at their defaults. */
  public record Selection(String kernel, Map<String, String> settings) implements Counterpart {
    public Selection {
      settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /**
     * Finds the kernel.
     *
     * @throws IllegalArgumentException where there is none of that name
     */
    public KernelDescription in(KernelRegistry registry) {
      return registry.find(kernel).orElseThrow(() -> new IllegalArgumentException("there is no kernel " + kernel));
    }

    /**
     * The kernel's choice with these settings.
     *
     * @throws IllegalArgumentException where the kernel lacks a setting
     */
    public Choice of(KernelDescription described) {
      for (var setting : settings.keySet()) {
        if (!described.defaults().values().containsKey(setting)) {
          throw new IllegalArgumentException("kernel " + kernel + " has no setting " + setting);
        }
      }
      return described.defaults().with(settings);
    }

    /** The options that select the kernel on the command line. */
    public String options() {
      return kernel + settings.entrySet().stream().map(e -> " --set " + e.getKey() + "=" + e.getValue())
          .collect(Collectors.joining());
    }
  }

  /** A page of the site, for rows that are no kernels but explanations. */
  public record Page(String name) implements Counterpart {}

  /** The reason why there is nothing for a row. */
  public record Missing(String reason) implements Counterpart {}

  /** Reads {@code name | types | counterpart}: a kernel and its settings, {@code @} and a page, or - and a reason. */
  static NotedRow parse(String section, String line) {
    var parts = line.split(" \\| ", 3);
    if (parts.length < 3) throw new IllegalArgumentException("a row without name, types or counterpart: " + line);
    return new NotedRow(section, parts[0], parts[1], counterpart(parts[2]));
  }

  private static Counterpart counterpart(String text) {
    if (text.startsWith(MISSING)) return new Missing(text.substring(MISSING.length()));
    if (text.startsWith(PAGE)) return new Page(text.substring(PAGE.length()));
    var words = text.split(" ");
    var settings = new LinkedHashMap<String, String>();
    for (int i = 1; i < words.length; i++) {
      var setting = words[i].split("=", 2);
      if (setting.length < 2 || settings.put(setting[0], setting[1]) != null) {
        throw new IllegalArgumentException("invalid " + words[i] + ": needed is name=value, once for each name");
      }
    }
    return new Selection(words[0], settings);
  }
}
