package tilewright.docs.html;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds links of a built site that lead nowhere, and pages that load anything from elsewhere. Links for further reading
 * may leave the site to the addresses of a list.
 */
public final class LinkCheck {
  private LinkCheck() {}

  /** The addresses in a file with one a line before its title; lines that begin with # are comments. */
  public static Set<String> addresses(Path list) throws IOException {
    return Files.readAllLines(list).stream().filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.split(" ", 2)[0]).collect(Collectors.toUnmodifiableSet());
  }

  /** One line a fault, naming page and reference; pages may link to {@code elsewhere}, and load nothing from there. */
  public static List<String> faults(Path site, Set<String> elsewhere) throws IOException {
    var faults = new ArrayList<String>();
    for (var page : pages(site)) {
      for (var reference : references(Files.readString(page), elsewhere)) {
        var fault = fault(page, reference);
        if (!fault.isEmpty()) faults.add(site.relativize(page) + ": '" + reference + "' " + fault);
      }
    }
    return faults;
  }

  /** The references that a page loads, and its links except those for further reading. */
  private static Set<String> references(String html, Set<String> elsewhere) {
    var internal = Html.references(html);
    internal.removeIf(reference -> elsewhere.contains(reference) && Html.links(html).contains(reference));
    return internal;
  }

  /** The pages that the site's template frames: all but those of Javadoc, which checks its own links. */
  public static List<Path> pages(Path site) throws IOException {
    var javadoc = site.resolve("api");
    try (var files = Files.walk(site)) {
      return files.filter(file -> file.toString().endsWith(".html") && !file.startsWith(javadoc)).sorted().toList();
    }
  }

  private static String fault(Path page, String reference) throws IOException {
    if (reference.matches("(?i)([a-z]+:)?//.*|[a-z]+:.*")) return "leaves the site and is not in external-links.txt";
    int hash = reference.indexOf('#');
    var file = hash < 0 ? reference : reference.substring(0, hash);
    var target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!Files.isRegularFile(target)) return "names no file";
    var anchor = hash < 0 ? "" : reference.substring(hash + 1);
    return anchor.isEmpty() || Html.ids(Files.readString(target)).contains(anchor) ? "" : "names no id in that page";
  }
}
