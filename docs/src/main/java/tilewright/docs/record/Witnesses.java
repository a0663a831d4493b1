package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tilewright.docs.source.BrokenSiteException;

/** The witness kernels: what their sources say of them, and which results were recorded on an H200. */
public final class Witnesses {
  private static final String FOLDER = "verification/src/test/resources/tilewright/verification/witness";
  private static final Pattern TARGET = Pattern.compile("(?m)^\\.target (\\w+)");

  private Witnesses() {}

  public static void write(Path root, Path generated) throws IOException {
    var folder = root.resolve(FOLDER);
    var recorded = Files.readAllLines(folder.resolve("recorded.h200.txt"));
    var table = new StringBuilder("[cols=\"2,1,6,>2\"]\n|===\n|Source |Target |What it does |Results of an H200\n\n");
    try (var files = Files.list(folder)) {
      for (var source : files.filter(f -> f.toString().endsWith(".cu")).sorted().toList()) {
        var name = source.getFileName().toString().replace(".cu", "");
        table.append(row(name, Files.readAllLines(source), Files.readString(folder.resolve(name + ".ptx")), recorded));
      }
    }
    Files.writeString(generated.resolve("witnesses.adoc"), table + "|===\n");
  }

  /** @param recorded lines of {@code NAME[.VARIANT]/BUFFER DIGEST} */
  static String row(String name, List<String> source, String ptx, List<String> recorded) {
    var target = TARGET.matcher(ptx);
    if (!target.find()) throw new BrokenSiteException(List.of(name + ".ptx has no .target"));
    var comment = source.stream().takeWhile(line -> line.startsWith("// ")).map(line -> line.substring(3))
        .collect(Collectors.joining(" "));
    if (comment.isEmpty()) throw new BrokenSiteException(List.of(name + ".cu does not begin with a comment"));
    long results = recorded.stream().filter(line -> line.startsWith(name + "/") || line.startsWith(name + ".")).count();
    return "|`" + name + ".cu` |" + target.group(1) + " |" + comment.replace("^T", "ᵀ") + " |" + (results == 0 ? "–" : results) + "\n";
  }
}
