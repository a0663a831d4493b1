package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds links of a built site that lead nowhere, and pages that load anything from elsewhere. */
final class LinkCheck {
  private LinkCheck() {}

  /** One line a fault, naming page and reference. */
  static List<String> faults(Path site) throws IOException {
    var faults = new ArrayList<String>();
    for (var page : pages(site)) {
      for (var reference : Html.references(Files.readString(page))) {
        var fault = fault(page, reference);
        if (!fault.isEmpty()) faults.add(site.relativize(page) + ": '" + reference + "' " + fault);
      }
    }
    return faults;
  }

  static List<Path> pages(Path site) throws IOException {
    try (var files = Files.walk(site)) {
      return files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
    }
  }

  private static String fault(Path page, String reference) throws IOException {
    if (reference.matches("(?i)([a-z]+:)?//.*|[a-z]+:.*")) return "leaves the site";
    int hash = reference.indexOf('#');
    var file = hash < 0 ? reference : reference.substring(0, hash);
    var target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!Files.isRegularFile(target)) return "names no file";
    var anchor = hash < 0 ? "" : reference.substring(hash + 1);
    return anchor.isEmpty() || Html.ids(Files.readString(target)).contains(anchor) ? "" : "names no id in that page";
  }
}
