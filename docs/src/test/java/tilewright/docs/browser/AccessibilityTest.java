package tilewright.docs.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.docs.html.LinkCheck;

/**
 * Every page of the site as a browser shows it: axe-core's rules, the console, requests, and the width of a phone. Of
 * pages in folders and of records, which are made from one template each, the browser opens one in {@value #OPENED},
 * and axe sees every other one of these; all of them with {@code -Pfull}.
 */
class AccessibilityTest {
  private static final Path SITE = Path.of("target/site").toAbsolutePath();
  private static final int DESK = 1280;
  private static final int PHONE = 390;
  private static final int HEIGHT = 900;
  private static final int OPENED = 8;
  private static final int SEEN = 2 * OPENED;
  /** One line for each rule that a page violates, with the first elements. */
  private static final String AXE = """
      const [only, done] = arguments;
      const options = only ? {runOnly: [only]} : {};
      Object.assign(options, {preload: false, resultTypes: ['violations']});
      axe.run(options).then(r => done(r.violations.map(v => v.id + ' (' + v.nodes.length + '): '
          + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.html.slice(0, 120)
              + (v.id == 'color-contrast' ? ' ' + n.any[0].message : '')).join(' | '))), e => done(['' + e]));
      """;

  /** Elements that reach beyond the width of the page without a box that scrolls around it. */
  private static final String WIDER = """
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width) return [];
      const inside = e => {
        for (let p = e.parentElement; p && p != document.body; p = p.parentElement)
          if (getComputedStyle(p).overflowX != 'visible') return true;
        return false;
      };
      const wide = [...document.body.querySelectorAll('*')]
          .filter(e => e.getBoundingClientRect().right > width + 1 && !inside(e));
      return ['wider than the page: ' + document.documentElement.scrollWidth + ' > ' + width + ': '
          + wide.slice(0, 3).map(e => e.outerHTML.slice(0, 100)).join(' | ')];
      """;

  @Test
  void everyPageIsAccessibleQuietAndFitsAPhone() throws IOException {
    var faults = new ArrayList<String>();
    try (var browser = Browser.start()) {
      browser.onEveryPage(axe());
      int nested = 0;
      for (var page : LinkCheck.pages(SITE)) {
        var name = SITE.relativize(page).toString();
        boolean every = !name.contains("/") && !name.startsWith("records-") || Boolean.getBoolean("tilewright.full");
        int number = every ? 0 : nested++;
        if (number % OPENED != 0) continue;
        boolean judged = number % SEEN == 0;
        browser.show(DESK, HEIGHT, "light");
        browser.open(page.toUri().toString());
        if (judged) add(faults, name + " light", browser.await(AXE, ""));
        browser.show(PHONE, HEIGHT, "dark");
        add(faults, name + " phone", browser.run(WIDER));
        if (judged) add(faults, name + " dark", browser.await(AXE, "color-contrast"));
        add(faults, name + " console", browser.console());
        add(faults, name + " request", browser.externalRequests());
      }
    }
    assertEquals("", String.join("\n", faults));
  }

  private static void add(List<String> faults, String where, Object found) {
    for (var fault : (List<?>) found) faults.add(where + ": " + fault);
  }

  private static String axe() throws IOException {
    try (var in = AccessibilityTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
