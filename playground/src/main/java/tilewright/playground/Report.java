package tilewright.playground;

import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.expression.Value;

/** Answers as HTML. */
final class Report {
  /** Larger layouts would delay the picture. */
  private static final int LARGEST_TABLE = 1 << 10;

  private Report() {}

  static String known(Value value) {
    var text = new StringBuilder("<p class=\"value\">").append(Dom.code(value.toString())).append("</p>");
    switch (value) {
      case Value.Mapping(var map) -> text.append(facts(map));
      case Value.XorMapping(var map) -> text.append(list("size", map.size()));
      case Value.CoordinateMapping(var map) -> text.append(list("size", map.size()));
      default -> { }
    }
    return text.toString();
  }

  private static String facts(OffsetMap map) {
    return switch (map) {
      case Layout layout -> list("shape", layout.shape(), "stride", layout.stride(), "size", layout.size(),
          "cosize", layout.cosize());
      case ComposedLayout composed when composed.size() <= LARGEST_TABLE ->
          list("shape", composed.shape(), "size", composed.size(), "largest offset", largest(composed));
      case ComposedLayout composed -> list("shape", composed.shape(), "size", composed.size());
    };
  }

  private static long largest(OffsetMap map) {
    var largest = 0L;
    for (var i = 0L; i < map.size(); i++) largest = Math.max(largest, map.apply(i));
    return largest;
  }

  private static String list(Object... pairs) {
    var list = new StringBuilder("<dl>");
    for (var i = 0; i < pairs.length; i += 2) {
      list.append("<div><dt>").append(pairs[i]).append("</dt><dd>").append(Dom.code(pairs[i + 1].toString()))
          .append("</dd></div>");
    }
    return list.append("</dl>").toString();
  }

  /** The violated condition, the mode, the numbers and the witness. */
  static String refused(Decision.Undefined<?> reason) {
    var text = new StringBuilder("<p class=\"refused\">").append(Dom.code(reason.operation()))
        .append(" <strong>is undefined</strong></p><dl class=\"reason\">");
    entry(text, "needed", reason.condition());
    reason.mode().ifPresent(mode -> entry(text, "at mode", "" + mode));
    entry(text, "found", reason.numbers());
    reason.witness().ifPresent(witness -> {
      entry(text, "witness", "coordinate " + witness.coordinate() + ", index " + witness.index());
      entry(text, "demanded offset", "" + witness.demanded());
      entry(text, "offset of the only candidate", "" + witness.given());
    });
    return text.append("</dl>").toString();
  }

  private static void entry(StringBuilder text, String term, String description) {
    text.append("<div><dt>").append(term).append("</dt><dd>").append(Dom.escaped(description)).append("</dd></div>");
  }
}
