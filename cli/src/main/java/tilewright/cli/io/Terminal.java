package tilewright.cli.io;

import java.util.Map;
import java.util.Optional;

/**
 * What the streams of a command lead to.
 *
 * @param out whether results are read on a terminal
 * @param err whether progress is
 * @param width characters of a line; {@link #USUAL_WIDTH} where nobody says
 * @param coloured whether results may have colours
 */
public record Terminal(boolean out, boolean err, int width, boolean coloured) {
  public static final int USUAL_WIDTH = 80;

  /** Streams that lead to files or other programs. */
  public static final Terminal NONE = new Terminal(false, false, USUAL_WIDTH, false);

  /**
   * Finds out about this process. The launcher says in {@code TILEWRIGHT_TERMINAL} which of the streams {@code out} and
   * {@code err} are terminals, since Java knows only of standard input and output together.
   */
  public static Terminal of(Map<String, String> environment) {
    boolean both = System.console() != null && System.console().isTerminal();
    var said = Optional.ofNullable(environment.get("TILEWRIGHT_TERMINAL"));
    boolean out = said.map(streams -> streams.contains("out")).orElse(both);
    boolean err = said.map(streams -> streams.contains("err")).orElse(both);
    boolean dumb = environment.getOrDefault("TERM", "dumb").equals("dumb");
    boolean plain = !environment.getOrDefault("NO_COLOR", "").isEmpty() || dumb;
    return new Terminal(out, err && !dumb, columns(environment), out && !plain);
  }

  /** The width that {@code COLUMNS} says: the launcher sets it where it finds a terminal. */
  private static int columns(Map<String, String> environment) {
    var columns = environment.getOrDefault("COLUMNS", "");
    if (columns.matches("[1-9][0-9]{0,4}")) return Integer.parseInt(columns);
    return USUAL_WIDTH;
  }
}
