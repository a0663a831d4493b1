package tilewright.cli.layout;

import java.util.Optional;
import tilewright.cli.io.Excerpt;
import tilewright.layout.decision.Witness;
import tilewright.layout.expression.ExpressionException;
import tilewright.layout.syntax.LayoutSyntaxException;

/**
 * Why an expression has no value.
 *
 * @param condition what would have to hold; {@code syntax} if the text is no expression
 * @param witness where an undefined operation's equation would fail, if a coordinate shows it
 * @param column where the mistake begins, counted from 1
 */
record LayoutProblem(String condition, String message, Optional<WitnessRow> witness, int column) {
  private static final int LONGEST = 80;

  /** A witness with its coordinate in CuTe's notation. */
  record WitnessRow(String coordinate, long index, long demanded, long given) {
    static WitnessRow of(Witness witness) {
      return new WitnessRow(witness.coordinate().toString(), witness.index(), witness.demanded(), witness.given());
    }
  }

  static LayoutProblem of(RuntimeException e) {
    return switch (e) {
      case ExpressionException no -> new LayoutProblem(no.condition(), no.getMessage(),
          no.witness().map(WitnessRow::of), no.position() + 1);
      case LayoutSyntaxException syntax ->
          new LayoutProblem("syntax", syntax.getMessage(), Optional.empty(), syntax.position() + 1);
      case ArithmeticException _ -> new LayoutProblem("sizes and offsets fit 64 bits",
          "column 1: a size or an offset does not fit 64 bits", Optional.empty(), 1);
      default -> new LayoutProblem("layouts", e.getMessage(), Optional.empty(), 1);
    };
  }

  /** Returns the message for people, with the expression in front. Syntax errors quote the expression themselves. */
  String line(String text) {
    return condition.equals("syntax") ? message : Excerpt.of(text, LONGEST) + ": " + message;
  }
}
