package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tilewright.docs.source.Command;
import tilewright.layout.expression.Operations;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The language of layout expressions: a table of its operations, and what the command answers to examples. */
final class Expressions {
  private static final List<String> VALUES = List.of("(4,(2,2)):(1,(4,8))", "(4,(2,2)):(1,(4,8))(3,(1,0))",
      "(4,(2,2)):(1,(4,8))(_,(1,_))", "(6,2):(8,2) ∘ (4,3):(3,1)", "zipped_divide((8,4):(4,1), (4,2))",
      "upcast<4>((4,8):(8,1))", "Sw<2,0,3> o 0 o (4,8):(8,1)", "make_identity_layout((4,2))", "(2,4):(^1,^3)",
      "compatible(8, (4,2))");
  private static final List<String> DERIVED = List.of("composition((6,2):(8,2), (4,3):(3,1))",
      "complement((2,4,8):(8,1,64), 1024)", "logical_divide((4,8):(13,1), (2,4):(1,8))");
  private static final List<String> UNDEFINED = List.of("composition((6,2):(1,7), (3,2):(2,3))",
      "complement((2,3):(3,2), 12)");

  private Expressions() {}

  static void write(Path docs, Path generated) throws IOException {
    Files.writeString(generated.resolve("operations.adoc"), table());
    var record = Files.readString(docs.resolve("benchmarks/expressions/pycute.json"));
    Files.writeString(generated.resolve("expression-speed.adoc"), speed(JsonMapper.shared().readTree(record)));
    var values = new ArrayList<>(List.of("layout", "eval"));
    values.addAll(VALUES);
    Files.writeString(generated.resolve("expression-values.txt"), Command.transcript(values));
    Files.writeString(generated.resolve("expression-derived.txt"), explained(DERIVED));
    Files.writeString(generated.resolve("expression-undefined.txt"), explained(UNDEFINED));
  }

  /** A recorded comparison with pycute. */
  static String speed(JsonNode record) {
    var seconds = record.get("seconds");
    return """
        %d random expressions, one process each that reads them from standard input and prints every offset, median of \
        five: %.2f s with `layout eval`, starting Java included, and %.2f s with pycute, %.1f times as long.
        (%s, %s; pycute of CUTLASS %s, Python %s; `docs/benchmarks/expressions/compare.py` repeats it.)
        """.formatted(record.get("expressions").asInt(), seconds.get("tilewright").asDouble(),
        seconds.get("pycute").asDouble(), record.get("ratio").asDouble(), record.get("date").asString(),
        record.get("cpu").asString(), record.get("cutlass").asString().substring(0, 10),
        record.get("python").asString());
  }

  static String table() {
    var table = new StringBuilder("[cols=\"2,3\"]\n|===\n|Call |Gives\n\n");
    for (var group : Operations.groups()) {
      table.append("2+h|").append(group.title()).append('\n');
      for (var operation : group.operations()) {
        table.append("|`+").append(operation.signature()).append("+`\n|pass:c[").append(operation.description())
            .append("]\n");
      }
    }
    return table.append("|===\n").toString();
  }

  private static String explained(List<String> expressions) {
    var text = new StringBuilder();
    for (var expression : expressions) {
      text.append(Command.transcript(List.of("layout", "explain", expression))).append('\n');
    }
    return text.toString();
  }
}
