package tilewright.playground;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.expression.Explanation;

/** An operation and its operands, read back from a step of a derivation. */
record Operands(String operation, List<String> texts) {
  Operands {
    texts = List.copyOf(texts);
  }

  /** Splits {@code name(a, b)} at the commas that stand outside brackets. */
  static Operands of(Explanation.Step step) {
    var call = step.operation();
    var open = call.indexOf('(');
    var texts = new ArrayList<String>();
    var depth = 0;
    var begin = open + 1;
    for (var i = open + 1; i < call.length(); i++) {
      var c = call.charAt(i);
      if (depth == 0 && (c == ',' || i == call.length() - 1)) {
        texts.add(call.substring(begin, i).strip());
        begin = i + 1;
      }
      if ("([<".indexOf(c) >= 0) depth++;
      if (")]>".indexOf(c) >= 0) depth--;
    }
    return new Operands(call.substring(0, open), texts);
  }
}
