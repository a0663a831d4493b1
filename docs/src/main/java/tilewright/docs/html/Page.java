package tilewright.docs.html;

import java.util.List;

/**
 * A converted page.
 *
 * @param path where it stands in the site, such as {@code decisions/launches-are-data.html}
 * @param shortTitle what links in the navigation say: the page's attribute {@code navtitle}, or else its title
 * @param headings its sections, for the table of contents and the search
 * @param body HTML between the header and the end
 */
public record Page(String path, String title, String shortTitle, List<Heading> headings, String body) {
  public Page {
    headings = List.copyOf(headings);
  }

  /** A section of the page; {@code text} is what it says, without markup. */
  record Heading(String id, String title, String text) {}

  /** The way from this page to the site's root: empty, or {@code ../}. */
  String toRoot() {
    return "../".repeat((int) path.chars().filter(c -> c == '/').count());
  }
}
