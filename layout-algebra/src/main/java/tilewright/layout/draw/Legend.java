package tilewright.layout.draw;

import java.util.List;
import java.util.stream.LongStream;

/**
 * What the cells of a picture say: a sentence, and a key for each colour that it names. Texts of one width have no
 * colours and do without it.
 */
public record Legend(String text, List<Cell> keys) {
  /** No legend. */
  public static final Legend NONE = new Legend("", List.of());

  public Legend {
    keys = List.copyOf(keys);
  }

  static Legend of(String text) {
    return new Legend(text, List.of());
  }

  /** A legend whose keys are the first colours, each with its number. */
  static Legend numbered(String text, int colours) {
    return new Legend(text, LongStream.range(0, colours)
        .mapToObj(colour -> Cell.of(0, (int) colour, colour, Long.toString(colour))).toList());
  }
}
