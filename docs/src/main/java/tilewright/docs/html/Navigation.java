package tilewright.docs.html;

import java.util.List;
import java.util.stream.Collectors;

/** The site's pages in groups that fold; the group of the page that is shown is open. */
public record Navigation(List<Group> groups) {
  public Navigation {
    groups = List.copyOf(groups);
  }

  /** @param path whether the pages are chapters: each then leads to the one before and the one after */
  public record Group(String title, boolean path, List<Link> links) {
    public Group {
      links = List.copyOf(links);
    }
  }

  /** @param children pages folded under this one */
  public record Link(String path, String title, List<Link> children) {
    public Link {
      children = List.copyOf(children);
    }

    public static Link to(Page page, List<Link> children) {
      return new Link(page.path(), page.shortTitle(), children);
    }

    boolean holds(Page page) {
      return path.equals(page.path()) || children.stream().anyMatch(child -> child.holds(page));
    }

    String anchor(Page current) {
      return "<a href=\"%s\"%s>%s</a>".formatted(current.toRoot() + path,
          path.equals(current.path()) ? " aria-current=\"page\"" : "", title);
    }
  }

  /** The groups as lists of links from {@code current}; on a page of no group, the groups of chapters are open. */
  String html(Page current) {
    boolean outside = groups.stream().noneMatch(group -> holds(group, current));
    return groups.stream().map(group -> folded(group.title(), holds(group, current) || outside && group.path(),
        list(group.links(), current))).collect(Collectors.joining());
  }

  /** Links to the chapters before and after {@code current}; empty where it is no chapter. */
  String neighbours(Page current) {
    return groups.stream().filter(group -> group.path() && holds(group, current)).map(group -> {
      int at = 0;
      while (!group.links().get(at).holds(current)) at++;
      return (at == 0 ? "" : "<span>Previous: " + group.links().get(at - 1).anchor(current) + "</span>\n")
          + (at + 1 == group.links().size() ? "" : "<span class=\"next\">Next: "
              + group.links().get(at + 1).anchor(current) + "</span>\n");
    }).filter(links -> !links.isEmpty()).map(links -> "<nav class=\"chapters\" aria-label=\"Chapters\">\n" + links
        + "</nav>\n").collect(Collectors.joining());
  }

  private static boolean holds(Group group, Page page) {
    return group.links().stream().anyMatch(link -> link.holds(page));
  }

  private static String list(List<Link> links, Page current) {
    return links.stream().map(link -> "<li>" + link.anchor(current) + sections(link, current) + (link.children().isEmpty() ? "" : folded(
        link.children().size() + " pages", link.children().stream().anyMatch(child -> child.holds(current)),
        list(link.children(), current))) + "</li>\n").collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
  }

  /** The sections of the page that is shown, under its link. */
  private static String sections(Link link, Page current) {
    if (!link.path().equals(current.path()) || current.headings().isEmpty()) return "";
    return current.headings().stream().map(h -> "<li><a href=\"#%s\">%s</a></li>\n".formatted(h.id(), h.title()))
        .collect(Collectors.joining("", "\n<ul>\n", "</ul>\n"));
  }

  private static String folded(String summary, boolean open, String content) {
    return "<details%s><summary>%s</summary>\n%s</details>\n".formatted(open ? " open" : "", summary, content);
  }
}
