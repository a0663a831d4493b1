package tilewright.docs.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** The playground as a reader uses it, opened from its file. */
class PlaygroundTest {
  private static final String PAGE = Path.of("target/site/playground.html").toUri().toString();
  private static Browser browser;

  @BeforeAll
  static void start() {
    browser = Browser.start();
    browser.show(1280, 900, "light");
  }

  @AfterAll
  static void stop() {
    if (browser != null) browser.close();
  }

  @BeforeEach
  void open() {
    browser.open("about:blank");
    open("");
  }

  @AfterEach
  void nothingWasLoggedOrRequested() {
    assertEquals(List.of(), browser.console());
    assertEquals(List.of(), browser.externalRequests());
  }

  private static void open(String fragment) {
    browser.open(PAGE + fragment);
    browser.until("return document.getElementById('playground').hasAttribute('data-answered')");
  }

  private static String text(String selector) {
    return (String) browser.run("return document.querySelector(arguments[0]).innerText", selector);
  }

  private static void type(String expression) {
    browser.find("#expression").sendKeys(Keys.chord(Keys.CONTROL, "a"), expression);
    answered(expression);
  }

  /** Waits for the answer to the question whose expression is this one. */
  private static void answered(String expression) {
    browser.until("return document.getElementById('expression').value == " + quoted(expression)
        + " && decodeURIComponent(document.getElementById('playground').dataset.answered).startsWith("
        + quoted("e=" + expression) + ")");
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  private static void set(String slider, int value) {
    browser.run("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
        + "e.dispatchEvent(new Event('input', {bubbles: true}))", slider, value);
  }

  /** The numbers of the picture's table, row by row. */
  private static List<List<Long>> table() {
    browser.run("document.getElementById('as-text').open = true");
    browser.until("return document.getElementById('text').textContent.includes('|')");
    var rows = new ArrayList<List<Long>>();
    for (var line : ((String) browser.run("return document.getElementById('text').textContent")).split("\n")) {
      if (!line.matches(" *\\d+ \\|.*")) continue;
      var row = new ArrayList<Long>();
      for (var word : line.substring(line.indexOf('|')).split("[| \\[\\]]+")) {
        if (!word.isEmpty()) row.add(Long.valueOf(word));
      }
      rows.add(row);
    }
    return rows;
  }

  @Test
  void aTypedLayoutHasTheOffsetsOfItsDefinition() {
    type("(4,(2,3)):(3,(1,20))");
    var expected = new ArrayList<List<Long>>();
    for (long i = 0; i < 4; i++) {
      var row = new ArrayList<Long>();
      for (long k = 0; k < 3; k++) for (long j = 0; j < 2; j++) row.add(3 * i + j + 20 * k);
      expected.add(row);
    }
    assertEquals(expected, table());
    assertTrue(text("#result").contains("24"), "size");
    assertEquals("(4,(2,3)):(3,(1,20))", text("#result .value"));
  }

  @Test
  void arrowKeysGoFromCellToCellAndThePictureIsPainted() {
    type("(2,(2,2)):(1,(2,4))");
    browser.find("#frame").sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN);
    assertEquals("coordinate (1,(0,1)), index 5: offset 5", text("#told"));
    // The sixth hue of Okabe and Ito, vermilion, lightened by a quarter.
    var pixel = browser.run("""
        const cell = document.getElementById('cell'), scale = devicePixelRatio;
        return [...document.getElementById('picture').getContext('2d')
            .getImageData((cell.offsetLeft + 3) * scale, (cell.offsetTop + 3) * scale, 1, 1).data]""");
    assertEquals(List.of(223L, 134L, 63L, 255L), pixel);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(4,2:1|7|expected ')', found the end", "(4,2):(1,x)|10|expected",
      "nonsense(4:1)|1|no operation is called nonsense"})
  void anErrorIsMarkedAtItsColumn(String expression, int column, String message) {
    type(expression);
    assertTrue(text("#problem").contains(message), text("#problem"));
    assertTrue(text("#problem").startsWith("column " + column), text("#problem"));
    // The mark stands below the middle of the character, in the type of the input.
    assertEquals(true, browser.run("""
        const input = document.getElementById('expression'), style = getComputedStyle(input);
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = style.font;
        const width = pen.measureText('0'.repeat(100)).width / 100;
        const wanted = input.getBoundingClientRect().left + parseFloat(style.paddingLeft)
            + parseFloat(style.borderLeftWidth) + (arguments[0] - 0.5) * width;
        const mark = document.getElementById('caret').getBoundingClientRect();
        return Math.abs(mark.left + mark.width / 2 - wanted) < width / 2 && mark.height > 0;
        """, column));
    assertEquals("true", browser.find("#expression").getDomAttribute("aria-invalid"));
    type("4:1");
    assertEquals(true, browser.run("return document.getElementById('caret').hidden"));
  }

  @Test
  void aRefusalShowsConditionNumbersAndWitness() {
    type("composition((6,2):(1,7), (3,2):(2,3))");
    var shown = text("#result");
    for (var part : List.of("is undefined", "without a carry", "coordinate (2,1), index 5", "demanded offset\n8",
        "only candidate\n7")) {
      assertTrue(shown.contains(part), shown);
    }
    browser.run("document.getElementById('as-text').open = true");
    browser.until("return document.getElementById('text').textContent.includes('[7]')");
  }

  @Test
  void anAddressRestoresTheQuestion() {
    open("#e=(32,32):(32,1)&v=banks&b=4&a=4&w=mode 0");
    assertEquals("(32,32):(32,1)", browser.run("return document.getElementById('expression').value"));
    assertTrue(text("#access-rows").startsWith("mode 0\t32\t32\t1\tlanes [0, 1, 2,"), text("#access-rows"));
    assertEquals("Down each column: columns 0 to 31: 32 wavefronts, 1 without conflicts", text("#columns"));
    browser.find("#find-swizzle").click();
    browser.until("return document.getElementById('expression').value.startsWith('Sw<5,0,5>')");
    browser.until("return location.hash.startsWith('#e=Sw')");
    assertTrue(text("#swizzle-verdict").contains("the fewest for their words"), text("#swizzle-verdict"));
    browser.back();
    browser.until("return document.getElementById('expression').value == '(32,32):(32,1)'");
  }

  @Test
  void typingReplacesTheAddressAndExamplesAreVisited() {
    var before = browser.run("return history.length");
    type("(4,8):(8,1)");
    browser.until("return decodeURIComponent(location.hash) == '#e=(4,8):(8,1)'");
    assertEquals(before, browser.run("return history.length"));
    browser.find("#example-4").click();
    browser.until("return location.hash.includes('composition')");
    assertEquals((long) before + 1, browser.run("return history.length"));
    browser.back();
    answered("(4,8):(8,1)");
  }

  @Test
  void theDerivationGoesStepByStepAndItsCertificateIsChecked() {
    type("size(composition((6,2):(8,2), (4,3):(3,1)))");
    assertTrue(text("#steps .proof").startsWith("✓ checked on this page"), text("#steps"));
    assertTrue(text("#steps").contains("= 12"), text("#steps"));
    set("step", 1);
    assertEquals("fact 1 of " + browser.find("#step").getDomAttribute("max"), text("#of"));
    assertEquals(1L, browser.run("return document.querySelectorAll('#steps ul li').length"));
    browser.find("#next").click();
    assertEquals(2L, browser.run("return document.querySelectorAll('#steps ul li').length"));
    // The picture shows the composition, which is no longer drawn for its size.
    var rows = new ArrayList<List<Long>>();
    for (long i = 0; i < 4; i++) {
      var row = new ArrayList<Long>();
      for (long j = 0; j < 3; j++) row.add((3 * i + j) % 6 * 8 + (3 * i + j) / 6 * 2);
      rows.add(row);
    }
    assertEquals(rows, table());
  }

  @Test
  void slidersSetTheSwizzle() {
    type("(8,8):(8,1)");
    set("sw-b", 3);
    answered("Sw<3,0,3> o 0 o (8,8):(8,1)");
    var rows = new ArrayList<List<Long>>();
    for (long r = 0; r < 8; r++) {
      var row = new ArrayList<Long>();
      for (long c = 0; c < 8; c++) row.add(8 * r + (c ^ r));
      rows.add(row);
    }
    assertEquals(rows, table());
    set("sw-m", 1);
    answered("Sw<3,1,3> o 0 o (8,8):(8,1)");
    browser.find("#no-swizzle").click();
    answered("(8,8):(8,1)");
  }
}
