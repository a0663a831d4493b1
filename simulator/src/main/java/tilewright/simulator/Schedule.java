package tilewright.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The order in which a launch's agents took steps. {@code 0/3} is warp 3 of cluster 0, counted through its CTAs;
 * {@code 0/3#5} is the sixth asynchronous operation that this warp issued, and an operation may issue others.
 *
 * @param places for each step the line that a warp goes on at, or that began an operation; empty where there is none
 */
public record Schedule(List<String> steps, List<String> places) {
  private static final String HEADER = "tilewright schedule 1";
  private static final Pattern RUN = Pattern.compile("(\\d+/\\d+(?:#\\d+)*)(?: x(\\d{1,9}))?(?: (?:to|of) .*)?");
  private static final int MOST_STEPS = 1 << 24;

  public Schedule {
    steps = List.copyOf(steps);
    places = List.copyOf(places);
    if (places.size() != steps.size()) {
      throw new IllegalArgumentException(steps.size() + " steps have " + places.size() + " places");
    }
  }

  /** A schedule whose places are not known. */
  public Schedule(List<String> steps) {
    this(steps, Collections.nCopies(steps.size(), ""));
  }

  /**
   * Reads what {@link #text} gives.
   *
   * @throws IllegalArgumentException naming the line that is no step
   */
  public static Schedule parse(String text) {
    var lines = text.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
    if (lines.isEmpty() || !lines.getFirst().equals(HEADER)) {
      throw new IllegalArgumentException("it does not begin with '" + HEADER + "': sim --explore writes schedules");
    }
    var steps = new ArrayList<String>();
    for (var line : lines.subList(1, lines.size())) {
      var run = RUN.matcher(line);
      if (!run.matches()) throw new IllegalArgumentException("'" + line + "' is no step, such as 0/3 or 0/3#5 x2");
      long count = run.group(2) == null ? 1 : Long.parseLong(run.group(2));
      if (count < 1 || steps.size() + count > MOST_STEPS) {
        throw new IllegalArgumentException("'" + line + "' makes no number of steps from 1 to " + MOST_STEPS);
      }
      for (int i = 0; i < count; i++) steps.add(run.group(1));
    }
    return new Schedule(steps);
  }

  /**
   * One line for each turn of an agent: the number of its steps if there are several, and where they lead {@code to},
   * or the line that an operation is {@code of}.
   */
  public String text() {
    var text = new StringBuilder(HEADER).append('\n');
    for (int i = 0, n; i < steps.size(); i += n) {
      n = 1;
      while (i + n < steps.size() && steps.get(i + n).equals(steps.get(i))) n++;
      var place = places.get(i + n - 1);
      text.append(steps.get(i)).append(n == 1 ? "" : " x" + n);
      if (!place.isEmpty()) text.append(steps.get(i).contains("#") ? " of " : " to ").append(place);
      text.append('\n');
    }
    return text.toString();
  }
}
