package tilewright.ptx;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How a launch relates to other work, besides its shape. */
public enum LaunchFeature {
  /** All blocks run at the same time, so that they can wait for each other; a GPU refuses a larger grid. */
  COOPERATIVE,
  /**
   * The kernel may begin before the stream's earlier ones have ended (programmatic dependent launch): before it writes
   * global memory, or reads what these may write ({@link Launch#ahead}), it has to execute {@code griddepcontrol.wait}.
   */
  PROGRAMMATIC;

  /** The name in files, such as {@code cooperative}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The feature of that {@link #text()}, if there is one. */
  public static Optional<LaunchFeature> parse(String text) {
    return Arrays.stream(values()).filter(feature -> feature.text().equals(text)).findFirst();
  }
}
