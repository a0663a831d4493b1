package tilewright.layout.draw;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** An SVG document, or a page with one, read back by the JDK's parser, with the style that a reader would see. */
record SvgPage(Document document) {
  private static final Pattern DARK = Pattern.compile("@media \\(prefers-color-scheme: dark\\) \\{(.*?})\\s*}",
      Pattern.DOTALL);
  private static final Pattern RULE = Pattern.compile("([^{}]+)\\{([^{}]*)}");

  static SvgPage parse(String xml) {
    try {
      var source = new InputSource(new StringReader(xml.replace("<!DOCTYPE html>", "")));
      return new SvgPage(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(source));
    } catch (SAXException | ParserConfigurationException e) {
      throw new AssertionError(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Element root() {
    return document.getDocumentElement();
  }

  List<Element> elements(String name) {
    return elements(root(), name);
  }

  static List<Element> elements(Element parent, String name) {
    var nodes = parent.getElementsByTagName(name);
    return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i)).toList();
  }

  static int number(Element element, String attribute) {
    return Integer.parseInt(element.getAttribute(attribute));
  }

  static List<Integer> numbers(Element element, String... attributes) {
    return Stream.of(attributes).map(attribute -> number(element, attribute)).toList();
  }

  private record Style(String selector, String property, String value) {
    boolean matches(Element element) {
      var parts = List.of(selector.split("\\."));
      var classes = List.of(element.getAttribute("class").split(" "));
      return parts.getFirst().equals(element.getTagName()) && classes.containsAll(parts.subList(1, parts.size()));
    }

    int specificity() {
      return selector.split("\\.").length;
    }
  }

  private static List<Style> styles(String sheet) {
    var styles = new ArrayList<Style>();
    RULE.matcher(sheet).results().forEach(rule -> {
      for (var selector : rule.group(1).split(",")) {
        for (var declaration : rule.group(2).split(";")) {
          var pair = declaration.split(":", 2);
          styles.add(new Style(selector.strip(), pair[0].strip(), pair[1].strip()));
        }
      }
    });
    return styles;
  }

  /** The value of a property by the rules of CSS: the most specific, and of those the last. */
  String style(Element element, String property, boolean dark) {
    var sheet = elements("style").getLast().getTextContent();
    var styles = styles(DARK.matcher(sheet).replaceAll(""));
    if (dark) DARK.matcher(sheet).results().forEach(match -> styles.addAll(styles(match.group(1))));
    return styles.reversed().stream().filter(style -> style.property.equals(property) && style.matches(element))
        .max(Comparator.comparingInt(Style::specificity)).orElseThrow().value();
  }
}
