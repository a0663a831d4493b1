package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** Absurd input gets one short error a line, with its column. */
class LayoutRobustnessTest {

  static Stream<Arguments> absurdities() {
    return Stream.of(
        Arguments.of("unbalanced brackets", "((4,2):(1,4)", 13),
        Arguments.of("a bracket too many", "(4,2)):(1,4)", 6),
        Arguments.of("a bracket of another kind", "(4,2]:(1,4)", 5),
        Arguments.of("a line of 10 MB", "1".repeat(10_000_000), 65_537),
        Arguments.of("10 MB of layouts", "(4,2):(1,4) ".repeat(800_000), 65_537),
        Arguments.of("10,000 brackets", "(".repeat(10_000) + ")".repeat(10_000), 65),
        Arguments.of("10,000 operations", "coalesce(".repeat(6_000), 585),
        Arguments.of("10,000 compositions", "4 o ".repeat(10_000), 515),
        Arguments.of("an extent of 2^63", "(4,9223372036854775808):(1,4)", 4),
        Arguments.of("an extent of a hundred digits", "9".repeat(100) + ":1", 1),
        Arguments.of("a size beyond 64 bits", "size((4294967296,4294967296))", 1),
        Arguments.of("offsets beyond 64 bits", "(4,4):(1,9223372036854775807)", 1),
        Arguments.of("a negative extent", "(4,-2):(1,4)", 4),
        Arguments.of("no extent", "(4,(2,0)):(1,(4,8))", 7),
        Arguments.of("a shape that is negative", "cosize((4,-2))", 8),
        Arguments.of("a slice of a negative shape", "size(-5(_))", 6),
        Arguments.of("a negative tiler", "logical_divide(8:1,-2)", 20),
        Arguments.of("a negative target", "tile_to_shape(4:1,-8)", 19),
        Arguments.of("an unknown name", "nonsense(4:1)", 1),
        Arguments.of("a wrong count of operands", "size(complement())", 6),
        Arguments.of("control characters", "4:\u0000\u0007", 3),
        Arguments.of("a byte-order mark", "\ufeff4:1", 1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("absurdities")
  void absurdInputIsOneShortErrorWithItsColumn(String what, String text, int column) {
    var run = Cli.runWithInput(text + "\n4:1\n", "layout", "eval", "--json");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), what);
    assertEquals("", run.err());
    var rows = run.json();
    assertEquals(2, rows.size(), what);
    var error = rows.getFirst().get("error");
    assertEquals(column, error.get("column").asInt(), error.toString());
    assertTrue(rows.getFirst().toString().length() < 1800, what);
    assertEquals("4:1", rows.get(1).get("layout").asString(), "the next line is evaluated");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("absurdities")
  void peopleGetOneShortLine(String what, String text, int column) {
    var run = Cli.runWithInput(text, "layout", "eval");
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().length() < 450 && run.err().contains("column " + column), run.err());
  }

  @Test
  void binaryJunkIsAnErrorALine() {
    var junk = new byte[200_000];
    new Random(5).nextBytes(junk);
    var run = Cli.runWithInput(junk, "layout", "eval", "--json");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertEquals("", run.err());
    for (var row : run.json()) assertTrue(row.get("error").get("column").asInt() >= 1, row.toString());
  }
}
