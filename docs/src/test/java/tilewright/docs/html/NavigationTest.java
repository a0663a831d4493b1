package tilewright.docs.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class NavigationTest {
  private static final Page FIRST = page("first.html");
  private static final Page SECOND = page("second.html");
  private static final Page CHOICE = page("decisions/choice.html");
  private static final Page LANDING = page("index.html");
  private static final Navigation NAVIGATION = new Navigation(List.of(
      new Navigation.Group("Learn", true, List.of(Navigation.Link.to(FIRST, List.of()),
          Navigation.Link.to(SECOND, List.of()))),
      new Navigation.Group("Records", false, List.of(Navigation.Link.to(page("decisions.html"),
          List.of(Navigation.Link.to(CHOICE, List.of())))))));

  @Test
  void theGroupOfTheShownPageIsOpen() {
    assertEquals(List.of("Learn"), open(FIRST));
    assertEquals(List.of("Records", "1 pages"), open(CHOICE));
    assertEquals(List.of("Learn"), open(LANDING));
  }

  @Test
  void linksLeadUpFromAFolder() {
    assertTrue(NAVIGATION.html(CHOICE).contains("<a href=\"../decisions/choice.html\" aria-current=\"page\">"));
    assertTrue(NAVIGATION.html(FIRST).contains("<a href=\"decisions/choice.html\">"));
  }

  @Test
  void chaptersLeadToTheirNeighbours() {
    assertTrue(NAVIGATION.neighbours(FIRST).contains("Next: <a href=\"second.html\">second.html</a>"));
    assertTrue(!NAVIGATION.neighbours(FIRST).contains("Previous"));
    assertTrue(NAVIGATION.neighbours(SECOND).contains("Previous: <a href=\"first.html\">"));
    assertEquals("", NAVIGATION.neighbours(CHOICE));
    assertEquals("", NAVIGATION.neighbours(LANDING));
  }

  private static List<String> open(Page current) {
    return Pattern.compile("<details open><summary>([^<]*)").matcher(NAVIGATION.html(current))
        .results().map(match -> match.group(1)).toList();
  }

  private static Page page(String path) {
    return new Page(path, path, path, List.of(), "");
  }
}
