package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tilewright.docs.record.Records;
import tilewright.docs.source.BrokenSiteException;
import tilewright.docs.source.Excerpt;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.Setting;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The catalogue, a section for each source file: what it computes, its families and options, source and figures. */
final class CataloguePage {
  private static final String SOURCES = "gpu-kernels/src/main/java/tilewright/kernels/catalogue/";
  /** Kernels that are not in their families' files. */
  private static final Map<String, String> ELSEWHERE =
      Map.of("MmaAttention", "../attention/Sm80Attention");

  private CataloguePage() {}

  /** Writes the page into one folder and its pictures into another. */
  static void write(Path root, Path generated, Path images) throws IOException {
    var families = KernelRegistry.builtIn().families();
    var bySource = families.stream()
        .collect(Collectors.groupingBy(CataloguePage::source, LinkedHashMap::new, Collectors.toList()));
    var measured = measured(root.resolve("docs/benchmarks"));
    var page = new StringBuilder("%d kernels in %d variants.\n\n".formatted(families.size(),
        families.stream().mapToInt(family -> family.variants().size()).sum()));
    for (var entry : bySource.entrySet()) {
      var file = root.resolve(SOURCES + ELSEWHERE.getOrDefault(entry.getKey(), entry.getKey()) + ".java");
      page.append("== ").append(title(entry.getKey())).append("\n\n").append(plain(javadoc(file))).append("\n\n")
          .append(table(entry.getValue())).append(picture(entry.getValue().getFirst(), entry.getKey(), images))
          .append(shared(entry.getValue()))
          .append("[source,java]\n----\n").append(Excerpt.method(file, "void trace(Scope k)")).append("----\n\n")
          .append(figures(entry.getValue(), measured));
    }
    Files.writeString(generated.resolve("catalogue.adoc"), page.toString());
  }

  /** The file of a family's kernel: the class around it, beneath what other catalogues extend it with. */
  static String source(Family family) {
    return Families.named(family.name()).orElse(family).getClass().getNestHost().getSimpleName().replaceFirst("Family$", "");
  }

  private static String title(String source) {
    return source.replaceAll("(?<=[a-z])(?=[A-Z])", " ");
  }

  private static String table(List<Family> families) {
    var table = new StringBuilder("[cols=\"2,5,4,>1\"]\n|===\n|Name |Computes |Options |Variants\n\n");
    for (var family : families) {
      var options = family.settings().stream().filter(Setting::option)
          .map(s -> s.name() + "=" + String.join("/", s.values())).collect(Collectors.joining(" "));
      table.append("|`%s` |%s |%s |%d\n".formatted(family.name(), plain(family.formula()), plain(options),
          family.variants().size()));
    }
    return table + "|===\n\n";
  }

  /** How the first variant's threads share the first tile that they partition. */
  private static String picture(Family family, String source, Path images) throws IOException {
    var partitions = family.workload(family.defaults()).launch().kernel().partitions();
    if (partitions.isEmpty()) return "";
    var partition = partitions.getFirst();
    var name = "catalogue-" + source.toLowerCase(Locale.ROOT) + ".svg";
    Files.writeString(images.resolve(name), PartitionPicture.of(partition).toSvg());
    return "The thread–value layout of a tile of `%s` with default settings:\n\nimage::%s[The thread of each run]\n\n"
        .formatted(family.name(), name);
  }

  /** The variants' use of shared memory. */
  private static String shared(List<Family> families) {
    var layouts = new TreeSet<String>();
    for (var family : families) {
      for (var variant : family.variants()) {
        family.workload(variant).launch().kernel().sharedTensors()
            .forEach(t -> layouts.add(t.layout() + " of " + t.type().text()));
      }
    }
    if (layouts.isEmpty()) return "";
    return "In shared memory:\n\n" + layouts.stream().map(l -> "* " + plain(l) + "\n").collect(Collectors.joining())
        + "\n";
  }

  /** The comment of the file's record, without tags. */
  static String javadoc(Path file) throws IOException {
    var lines = Files.readAllLines(file);
    int end = 0;
    while (!lines.get(end).matches("(public )?record .*")) {
      if (++end == lines.size()) throw new BrokenSiteException(List.of(file + " declares no record"));
    }
    int begin = end;
    while (!lines.get(begin).startsWith("/**")) {
      if (--begin < 0) throw new BrokenSiteException(List.of(file + ": its record has no comment"));
    }
    return lines.subList(begin, end).stream().map(l -> l.replaceFirst("^\\s*/?\\*+/?", "").replace("*/", "").strip())
        .takeWhile(l -> !l.startsWith("@")).collect(Collectors.joining(" ")).replaceAll("\\{@\\w+ ([^}]*)}", "$1")
        .strip();
  }

  /** The rows of all recorded runs. */
  static List<JsonNode> measured(Path benchmarks) throws IOException {
    var rows = new ArrayList<JsonNode>();
    try (var files = Files.list(benchmarks)) {
      for (var file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        var record = JsonMapper.shared().readTree(Files.readString(file));
        if (record.has("rows") && record.has("gpu")) record.get("rows").forEach(rows::add);
      }
    }
    return rows;
  }

  private static String figures(List<Family> families, List<JsonNode> measured) {
    var names = families.stream().map(Family::name).toList();
    var rows = measured.stream().filter(row -> names.contains(row.get("kernel").asString())).toList();
    if (rows.isEmpty()) return "";
    var table = new StringBuilder(".Measured\n[cols=\"1,4,>1,1,>1\"]\n|===\n")
        .append("|Name |Problem |Rate |Unit |To best peer\n\n");
    for (var row : rows) {
      table.append(String.format(Locale.ROOT, "|`%s` |%s |%.2f |%s |%s%n", row.get("kernel").asString(),
          plain(row.get("config").asString()), row.get("ours").asDouble(), row.get("unit").asString(),
          Records.ratio(row)));
    }
    return table + "|===\n\n";
  }

  /** Without meaning to AsciiDoc. */
  private static String plain(String text) {
    return "pass:c[" + text.replace("|", "\\|").replace("]", "\\]") + "]";
  }
}
