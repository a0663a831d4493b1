package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.rows.LearnNotes;
import tilewright.verification.rows.NotedRow;

/** The rows of CUDA-Learn-Notes as tables, each with the command that verifies or prints ours. */
final class LearnNotesPage {
  private LearnNotesPage() {}

  static void write(Path generated) throws IOException {
    var rows = LearnNotes.rows();
    var text = new StringBuilder("%d of %d rows have a kernel here, %d a page of this site, %d neither.%n%n".formatted(
        count(rows, NotedRow.Selection.class), rows.size(), count(rows, NotedRow.Page.class),
        count(rows, NotedRow.Missing.class)));
    var sections = rows.stream()
        .collect(Collectors.groupingBy(NotedRow::section, LinkedHashMap::new, Collectors.toList()));
    var registry = KernelRegistry.builtIn();
    sections.forEach((section, of) -> text.append("== ").append(section).append("\n\n").append(table(registry, of)));
    Files.writeString(generated.resolve("learn-notes.adoc"), text.toString());
  }

  private static long count(List<NotedRow> rows, Class<? extends NotedRow.Counterpart> kind) {
    return rows.stream().filter(row -> kind.isInstance(row.counterpart())).count();
  }

  private static String table(KernelRegistry registry, List<NotedRow> rows) {
    var table = new StringBuilder("[cols=\"3,1,4\"]\n|===\n|Row |Types |Command\n\n");
    for (var row : rows) {
      table.append("|%s |%s |%s%n".formatted(literal(row.name()), literal(row.types()),
          counterpart(registry, row.counterpart())));
    }
    return table + "|===\n\n";
  }

  /** A family's selection is verified by itself; another kernel's PTX is printed. */
  private static String counterpart(KernelRegistry registry, NotedRow.Counterpart counterpart) {
    return switch (counterpart) {
      case NotedRow.Selection selection -> literal((selection.in(registry) instanceof Family ? "verify " : "ptx ")
          + selection.options());
      case NotedRow.Page(String name) -> "xref:%s.adoc[a page]".formatted(name);
      case NotedRow.Missing(String reason) -> "none: " + reason;
    };
  }

  private static String literal(String text) {
    return "`pass:c[" + text.replace("|", "\\|").replace("]", "\\]") + "]`";
  }
}
