package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

class LayoutDrawTest {
  @TempDir
  Path folder;

  @Test
  void drawsTheFirstModeDownAndTheOthersAcross() {
    var run = Cli.run("layout", "draw", "(2,(2,3)):(6,(3,1))");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals("""
        (2,(2,3)):(6,(3,1))
             0  1    2  3    4  5
          +-------+-------+------
        0 |  0  3 |  1  4 |  2  5
        1 |  6  9 |  7 10 |  8 11
        """, run.out());
  }

  @Test
  void drawsOneModeAsARow() {
    assertTrue(Cli.run("layout", "draw", "4:2").out().endsWith("0 | 0 2 4 6\n"));
  }

  @Test
  void writesAnSvgOfEveryOffset() throws Exception {
    var file = folder.resolve("tile.svg");
    assertEquals(Exit.OK, Cli.run("layout", "draw", "Sw<2,0,2>o0o(4,4):(4,1)", "--out", file.toString()).exitCode());
    var text = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile())
        .getElementsByTagName("text");
    var drawn = new StringBuilder();
    for (int i = 0; i < text.getLength(); i++) {
      var node = text.item(i);
      var style = node.getAttributes().getNamedItem("class").getNodeValue();
      if (!style.contains("axis")) drawn.append(node.getTextContent()).append(' ');
    }
    // Row r of the tile is 4r XOR its columns.
    assertEquals("Sw<2,0,2>o0o(4,4):(4,1) 0 1 2 3 5 4 7 6 10 11 8 9 15 14 13 12 "
        + "number: offset; colour: offset mod 8 ", drawn.toString());
    assertFalse(Pattern.compile("https?://(?!www.w3.org/2000/svg)").matcher(Files.readString(file)).find(),
        "loads nothing");
  }

  @Test
  void refusesPicturesThatNobodyCouldRead() throws IOException {
    var large = Cli.run("layout", "draw", "(4096,4096):(1,4096)");
    assertEquals(Exit.BAD_INPUT, large.exitCode());
    assertTrue(large.err().contains("a picture shows 1 to 16384"), large.err());
    var kind = Cli.run("layout", "draw", "4:1", "--out", folder.resolve("x.jpg").toString());
    assertEquals(Exit.BAD_INPUT, kind.exitCode());
    assertFalse(Files.exists(folder.resolve("x.jpg")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      ((4,8),(2,2)):((32,1),(16,8)) | tv      | (16,8)      | T31V3
      (8,8):(8,1)                   | divide  | [4:1;2:4]   | [28]
      (2,2):(2,1)                   | product | (2,2):(2,1) | [3]
      (4,2):(1,4)                   | compose | 2:4         | 2:4
      (2,32):(32,1)                 | banks   | 1           | 31
      """)
  void drawsEveryKind(String layout, String kind, String operand, String shown) {
    var run = Cli.run("layout", "draw", layout, "--as", kind, "--with", operand, "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var row = run.json().getFirst();
    assertEquals(kind, row.get("kind").asString());
    assertTrue(row.get("text").asString().contains(shown), row.get("text").asString());
  }

  @Test
  void writesTikzAndHtmlByTheNameOfTheFile() throws IOException {
    var tex = folder.resolve("tile.tex");
    var html = folder.resolve("tile.html");
    assertEquals(Exit.OK, Cli.run("layout", "draw", "(2,2):(2,1)", "--out", tex.toString()).exitCode());
    assertEquals(Exit.OK, Cli.run("layout", "draw", "(2,2):(2,1)", "--out", html.toString()).exitCode());
    assertTrue(Files.readString(tex).contains("\\begin{tikzpicture}"));
    assertTrue(Files.readString(html).contains("coordinate (1,0), index 1: offset 2"));
  }

  @Test
  void saysWhichOperandAKindOfPictureNeeds() {
    var missing = Cli.run("layout", "draw", "(4,2):(1,4)", "--as", "tv");
    assertEquals(Exit.BAD_INPUT, missing.exitCode());
    assertTrue(missing.err().contains("--as tv needs --with: the shape of the tile"), missing.err());
    var outside = Cli.run("layout", "draw", "(4,2):(1,4)", "--as", "tv", "--with", "(2,2)");
    assertTrue(outside.err().contains("outside the tile (2,2)"), outside.err());
    var unknown = Cli.run("layout", "draw", "4:1", "--as", "oil");
    assertTrue(unknown.err().contains("no --as oil"), unknown.err());
  }
}
