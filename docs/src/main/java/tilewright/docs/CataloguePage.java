package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.docs.chart.Charts;
import tilewright.docs.source.BrokenSiteException;
import tilewright.docs.source.Excerpt;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.Setting;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The catalogue, a page for each source file: what it computes, its families and options, picture, source and speed. */
final class CataloguePage {
  private static final String SOURCES = "gpu-kernels/src/main/java/tilewright/kernels/catalogue/";
  /** Kernels that are not in their families' files. */
  private static final Map<String, String> ELSEWHERE =
      Map.of("MmaAttention", "../attention/Sm80Attention",
          "QuantizedHeads", "../attention/quantization/RowQuantizer",
          "TransposedHeads", "../attention/quantization/TransposedQuantizer",
          "HeadMaxima", "../attention/quantization/HeadMaximum",
          "AppendedKeys", "../attention/appending/CacheAppend",
          "MergedStates", "../attention/merging/StateMerge");

  private static final Pattern EXTENT = Pattern.compile("(?:[mnkdsqb]|heads|seq|batch|dtype)=\\w+");
  private static final int MOST_BARS = 9;

  private CataloguePage() {}

  /** Writes the overview and, under {@code catalogue/}, a page for each source file; pictures into another folder. */
  static void write(Path root, Path generated, Path images) throws IOException {
    var families = KernelRegistry.builtIn().families();
    var bySource = families.stream()
        .collect(Collectors.groupingBy(CataloguePage::source, LinkedHashMap::new, Collectors.toList()));
    var measured = measured(root.resolve("docs/benchmarks"));
    var folder = Files.createDirectories(generated.resolve("catalogue"));
    var overview = new StringBuilder("%d kernels in %d variants.\n\n[cols=\"2,5,>1\"]\n|===\n|Name |Computes |Variants\n\n"
        .formatted(families.size(), families.stream().mapToInt(family -> family.variants().size()).sum()));
    for (var entry : bySource.entrySet()) {
      var page = page(entry.getKey());
      Files.writeString(folder.resolve(page + ".adoc"), kernel(root, entry.getKey(), entry.getValue(), measured, images));
      for (var family : entry.getValue()) {
        overview.append("|xref:catalogue/%s.adoc[`%s`] |%s |%d\n".formatted(page, family.name(),
            plain(family.formula()), family.variants().size()));
      }
    }
    Files.writeString(generated.resolve("catalogue.adoc"), overview.append("|===\n").toString());
  }

  private static String page(String source) {
    return title(source).toLowerCase(Locale.ROOT).replace(' ', '-');
  }

  private static String kernel(Path root, String source, List<Family> families, List<JsonNode> measured, Path images)
      throws IOException {
    var file = root.resolve(SOURCES + ELSEWHERE.getOrDefault(source, source) + ".java");
    return "= " + title(source) + "\n\n" + plain(javadoc(file)) + "\n\n" + table(families)
        + "[source,console]\n----\n$ ./tilewright verify %s\n----\n\n".formatted(families.getFirst().name())
        + "== How it works\n\n" + picture(families.getFirst(), source, images) + shared(families)
        + "[source,java]\n----\n" + Excerpt.method(file, "void trace(Scope k)") + "----\n\n"
        + speed(page(source), families, measured);
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

  /** The rows of all recorded runs, one of each problem; those of the folder {@code rows} are newer and stand for it. */
  static List<JsonNode> measured(Path benchmarks) throws IOException {
    var rows = new LinkedHashMap<String, JsonNode>();
    for (var folder : List.of(benchmarks.resolve("rows"), benchmarks)) {
      try (var files = Files.list(folder)) {
        for (var file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
          var record = JsonMapper.shared().readTree(Files.readString(file));
          if (!record.has("gpu")) continue;
          record.path("rows").valueStream().filter(row -> row.has("kernel") && row.path("ours").isNumber())
              .forEach(row -> rows.putIfAbsent(row.get("kernel") + " " + row.get("config"), row));
        }
      }
    }
    return List.copyOf(rows.values());
  }

  /** A chart of up to {@value #MOST_BARS} measured problems, spread over the rates and sizes that were recorded. */
  private static String speed(String page, List<Family> families, List<JsonNode> measured) {
    var names = families.stream().map(Family::name).toList();
    var rows = new LinkedHashMap<String, JsonNode>();
    measured.stream().filter(row -> names.contains(row.get("kernel").asString()))
        .forEach(row -> rows.putIfAbsent(label(row, names.size() > 1), row));
    if (rows.isEmpty()) return "";
    var unit = rows.values().iterator().next().get("unit").asString();
    rows.values().removeIf(row -> !row.get("unit").asString().equals(unit));
    int every = Math.ceilDiv(rows.size(), MOST_BARS);
    int[] at = {0};
    rows.values().removeIf(_ -> at[0]++ % every != 0);
    boolean shares = rows.values().stream().allMatch(row -> row.get("floor").isNumber());
    return "== How fast\n\n" + Charts.include(Charts.of(page, "On an H200", shares, rows)) + "\n"
        + "xref:../records-catalogue.adoc[The records] have all problems.\n";
  }

  /** The extents and types of a problem, without the settings that the kernel chose. */
  private static String label(JsonNode row, boolean named) {
    var config = Stream.of(row.get("config").asString().split(" ")).filter(word -> EXTENT.matcher(word).matches())
        .collect(Collectors.joining(" "));
    return (named ? row.get("kernel").asString() + " " : "") + config.replace("dtype=", "");
  }

  /** Without meaning to AsciiDoc. */
  private static String plain(String text) {
    return "pass:c[" + text.replace("|", "\\|").replace("]", "\\]") + "]";
  }
}
