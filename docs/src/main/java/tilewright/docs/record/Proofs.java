package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.databind.json.JsonMapper;

/** Results of the layout algebra's tests: cases of each law, mutants by package, and times of operations. */
public final class Proofs {
  private Proofs() {}

  public static void write(Path docs, Path generated) throws IOException {
    var laws = Files.readAllLines(docs.resolve("proofs/laws.txt"));
    Files.writeString(generated.resolve("laws.adoc"), laws(laws));
    var mutants = Files.readAllLines(docs.resolve("proofs/mutants.csv"));
    Files.writeString(generated.resolve("mutants.adoc"), mutants(mutants));
    Files.writeString(generated.resolve("times.adoc"),
        times(Files.readString(docs.resolve("benchmarks/jmh/layout-algebra.json"))));
  }

  /** One row for each line: number, statement, bound, cases tried, cases spoken of, with tabs between. */
  static String laws(List<String> lines) {
    var table = new StringBuilder("[cols=\">1,5,4,>2\"]\n|===\n|Law |Says |For all |Cases\n\n");
    long total = 0;
    for (var line : lines) {
      var fields = fields(line, "\t", 5);
      long cases = Long.parseLong(fields.get(4));
      total += cases;
      table.append("|%s |%s |%s |%s\n".formatted(fields.get(0), plain(fields.get(1)), plain(fields.get(2)),
          count(cases)));
    }
    return table + "|===\n\nIn all " + count(total) + " cases.\n";
  }

  /** Counts noticed mutants by package, from PIT's {@code file,class,mutator,method,line,status,test}. */
  static String mutants(List<String> lines) {
    var byPackage = new TreeMap<String, int[]>();
    var all = new int[2];
    var files = new TreeSet<String>();
    for (var line : lines) {
      var fields = line.split(",");
      if (fields.length < 6) throw new BrokenSiteException(List.of("not a mutant: " + line));
      files.add(fields[0]);
      var name = fields[1].substring(0, fields[1].lastIndexOf('.'));
      for (var counts : List.of(all, byPackage.computeIfAbsent(name, _ -> new int[2]))) {
        counts[0]++;
        if (List.of("KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR").contains(fields[5])) counts[1]++;
      }
    }
    var table = new StringBuilder("[cols=\"4,>1,>1,>1\"]\n|===\n|Package |Mutants |Noticed |Share\n\n");
    byPackage.forEach((name, counts) -> table.append(row("`" + name + "`", counts)));
    table.append(row("all", all)).append("|===\n\n");
    return table + "Classes that were changed: " + String.join(", ", files).replace(".java", "") + ".\n";
  }

  private static String row(String name, int[] counts) {
    double share = 100.0 * counts[1] / counts[0];
    return String.format(Locale.ROOT, "|%s |%d |%d |%.1f %%%n", name, counts[0], counts[1], share);
  }

  /** The times that the benchmarks wrote. */
  static String times(String json) {
    var run = JsonMapper.shared().readTree(json);
    var table = new StringBuilder(".%s, Java %s, %s\n[cols=\"4,>1,>1,>1\"]\n|===\n".formatted(
        run.get("processor").asString(), run.get("java").asString(), run.get("date").asString()));
    table.append("|Operation |ns |± |Bytes allocated\n\n");
    for (var row : run.get("rows")) {
      table.append(String.format(Locale.ROOT, "|`%s` |%.0f |%.0f |%.0f%n", row.get("operation").asString(),
          row.get("ns").asDouble(), row.get("error").asDouble(), row.get("bytes").asDouble()));
    }
    return table.append("|===\n").toString();
  }

  private static List<String> fields(String line, String separator, int count) {
    var fields = new ArrayList<>(List.of(line.split(separator)));
    if (fields.size() != count) throw new BrokenSiteException(List.of("not " + count + " fields: " + line));
    return fields;
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Without meaning to AsciiDoc, except that {@code 2^k} and {@code 2^(a+b)} have raised exponents. */
  private static String plain(String text) {
    var html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        .replaceAll("\\^(?:\\(([^)]*)\\)|(\\w))", "<sup>$1$2</sup>");
    return "pass:[" + html.replace("|", "\\|").replace("]", "\\]") + "]";
  }
}
