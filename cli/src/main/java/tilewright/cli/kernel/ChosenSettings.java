package tilewright.cli.kernel;

import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.NearestName;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.InvalidSettingException;

/** The settings of {@code --set}, applied to a kernel's defaults. */
public final class ChosenSettings {
  private ChosenSettings() {}

  /** @throws CommandFailure if the kernel has no such setting */
  public static Choice over(Choice defaults, Map<String, String> chosen) {
    var known = defaults.values().keySet();
    chosen.forEach((name, value) -> {
      if (known.contains(name)) return;
      throw CommandFailure.badInput("invalid --set " + name + "=" + value + ": the kernel has no setting " + name
          + NearestName.hint(name, known, "; it has " + (known.isEmpty() ? "none" : String.join(", ", known))));
    });
    return defaults.with(chosen);
  }

  public static CommandFailure invalid(InvalidSettingException e) {
    return CommandFailure.badInput("invalid --set " + e.setting() + "=" + e.value() + ": " + e.needed());
  }

  /** Every setting, what is left to the kernel too. */
  static String text(Choice choice) {
    return String.join(" ", choice.values().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }
}
