package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

class LayoutEvalTest {

  @Test
  void printsEverythingAboutALayoutAsJson() {
    var row = Cli.run("layout", "eval", "--json", "(4,(2,2)):(1,(8,4))").json().getFirst();
    assertEquals("(4,(2,2)):(1,(8,4))", row.get("expr").asString());
    assertEquals("(4,(2,2)):(1,(8,4))", row.get("layout").asString());
    assertEquals("(4,(2,2))", row.get("shape").asString());
    assertEquals("(1,(8,4))", row.get("stride").asString());
    assertEquals(16, row.get("size").asInt());
    assertEquals(16, row.get("cosize").asInt());
    var offsets = IntStream.range(0, 16).map(i -> i % 4 + i / 4 % 2 * 8 + i / 8 * 4).boxed().toList();
    assertEquals(offsets.toString(), row.get("offsets").valueStream().map(o -> o.asInt()).toList().toString());
  }

  @Test
  void theCosizeOfASwizzledLayoutIsThatOfItsOffsets() {
    // Three elements, the last of which the swizzle moves from 2 to 3.
    var row = Cli.run("layout", "eval", "--json", "Sw<1,0,1>o0o3:1").json().getFirst();
    assertEquals("[0,1,3]", row.get("offsets").toString());
    assertEquals(4, row.get("cosize").asInt());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      coalesce((2,(1,6)):(1,(6,2)))              | 12:1
      composition((4,2):(1,4), 2:4)              | 2:4
      (4,2):(1,4) ∘ 2:4                          | 2:4
      complement(4:1, 24)                        | 6:4
      logical_divide(24:1, 4:2)                  | (4,(2,3)):(2,(1,8))
      zipped_divide((8,4):(4,1), [4:1;2:1])      | ((4,2),(2,2)):((4,1),(16,2))
      logical_product(2:1, 3:1)                  | (2,3):(1,2)
      right_inverse((4,8):(8,1))                 | (8,4):(4,1)
      coalesce(logical_divide(24:1, 4:1))        | 24:1
      """)
  void evaluatesOperationsByTheirNamesInCute(String expression, String layout) {
    var run = Cli.run("layout", "eval", "--json", expression);
    assertEquals(Exit.OK, run.exitCode(), run.out());
    assertEquals(layout, run.json().getFirst().get("layout").asString());
  }

  @Test
  void valuesThatAreNoLayoutsArePrintedToo() {
    var rows = Cli.runWithInput("size((4,2))\ncompatible(8,(4,2))\nshape((4,2):(2,1))\n[4;_]\n(4,2):(1@0,1@1)(3,1)\n",
        "layout", "eval", "--json").json();
    assertEquals("[8, true, \"(4,2)\", \"[4:1;_]\", \"3@0+1@1\"]", rows.stream().map(row -> row.get("value")).toList()
        .toString());
    assertEquals("(4,2)\n", Cli.run("layout", "eval", "shape((4,2):(2,1))").out());
  }

  @Test
  void layoutsOfOtherOffsetsHaveTablesToo() {
    var coordinates = Cli.run("layout", "eval", "--json", "(2,2):(1@0,1@1)").json().getFirst();
    assertEquals("[\"0\",\"1@0\",\"1@1\",\"1@0+1@1\"]", coordinates.get("offsets").toString());
    assertEquals("(1@0,1@1)", coordinates.get("stride").asString());
    var xors = Cli.run("layout", "eval", "--json", "(2,2):(^1,^3)").json().getFirst();
    assertEquals("[0,1,3,2]", xors.get("offsets").toString());
    assertEquals(4, xors.get("cosize").asInt());
  }

  @Test
  void readsOneExpressionALineAndGoesOnAfterABadOne() {
    var run = Cli.runWithInput("4:1\n\n(4,2\ncomposition((6,2):(1,7),(3,2):(2,3))\n2:3\n", "layout", "eval", "--json");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    var rows = run.json();
    assertEquals(4, rows.size());
    assertEquals("[0,1,2,3]", rows.get(0).get("offsets").toString());
    assertEquals("syntax", rows.get(1).get("error").get("condition").asString());
    assertTrue(rows.get(2).get("error").get("message").asString().contains("is undefined"), run.out());
    assertEquals(5, rows.get(1).get("error").get("column").asInt());
    // A(B(5)) = A(2·2 + 3·1) = A(7) = 8, but no stride of the second mode gives that.
    assertFalse(rows.get(2).get("error").get("witness").isNull(), run.out());
    assertEquals("[0,3]", rows.get(3).get("offsets").toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      cute-cpp | (2):(8)
      cute-dsl | (2):(8)
      pycute   | (2,8):(8,1)
      """)
  void aDialectDropsOrKeepsTheModesBehindAShortTiler(String dialect, String layout) {
    var run = Cli.run("layout", "eval", "--json", "--dialect", dialect, "composition((4,8):(8,1), [2])");
    assertEquals(layout, run.json().getFirst().get("layout").asString());
  }

  @Test
  void refusesAnUnknownDialectAndNamesTheKnownOnes() {
    var run = Cli.run("layout", "eval", "--dialect", "triton", "4:1");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("unknown dialect 'triton'; there are cute-cpp, cute-dsl and pycute"), run.err());
  }

  @Test
  void leavesOutTheTableOfAHugeLayout() {
    var row = Cli.run("layout", "eval", "--json", "(1048576,1048576):(1,1048576)").json().getFirst();
    assertTrue(row.get("offsets").isNull());
    assertEquals(1L << 40, row.get("cosize").asLong());
  }

  /** Two thousand texts, many in each run. */
  @Property(tries = 100)
  void neverFailsUnexpectedly(@ForAll @Size(20) List<@StringLength(max = 24)
      @Chars({'(', ')', ',', ':', '1', '2', '9', '-', '_', 'S', 'w', '<', '>', 'o', '[', ']', ';', '@', '∘', ' ', 'c'})
      String> texts) {
    var run = Cli.runWithInput(String.join("\n", texts), "layout", "eval", "--json");
    assertFalse(run.err().contains("unexpected"), run.err());
    assertTrue(run.exitCode() == Exit.OK || run.exitCode() == Exit.BAD_INPUT);
  }
}
