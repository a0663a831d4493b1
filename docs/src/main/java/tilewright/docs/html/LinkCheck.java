package tilewright.docs.html;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds links of a built site that lead nowhere, and pages that load anything from elsewhere. Links for further reading
 * may leave the site, over HTTPS and to the publishers of the specifications, papers and sources that it builds on.
 */
public final class LinkCheck {
  private static final Set<String> PUBLISHERS = Set.of("docs.nvidia.com", "arxiv.org", "github.com");

  private LinkCheck() {}

  /** One line a fault, naming page and reference. */
  public static List<String> faults(Path site) throws IOException {
    var faults = new ArrayList<String>();
    for (var page : pages(site)) {
      for (var reference : references(Files.readString(page))) {
        var fault = fault(page, reference);
        if (!fault.isEmpty()) faults.add(site.relativize(page) + ": '" + reference + "' " + fault);
      }
    }
    return faults;
  }

  /** The references that a page loads, and its links except those for further reading. */
  private static Set<String> references(String html) {
    var internal = Html.references(html);
    internal.removeIf(reference -> isFurtherReading(reference) && Html.links(html).contains(reference));
    return internal;
  }

  private static boolean isFurtherReading(String link) {
    return link.startsWith("https://") && PUBLISHERS.contains(URI.create(link).getHost());
  }

  public static List<Path> pages(Path site) throws IOException {
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
