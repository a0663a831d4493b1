package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

class LayoutExplainTest {

  @Test
  void derivesACompositionLeafByLeaf() {
    var run = Cli.run("layout", "explain", "(6,2):(8,2) ∘ (4,3):(3,1)");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var lines = run.out().lines().map(String::strip).toList();
    assertEquals("composition((6,2):(8,2), (4,3):(3,1)) = ((2,2),3):((24,2),8)", lines.getFirst());
    // 3·t in base 6: 0, 3, 6 = (0,1), 9 = (3,1).
    assertTrue(lines.contains("leaf 4:3: A at 0,3,6,9 is 0,24,2,26, that is (2,2):(24,2), cut after 2 where the "
        + "multiples of 3 carry: A(6) is 2, not 2·24"), run.out());
  }

  @Test
  void derivesAComplementAsAChainOfModesAndGaps() {
    var steps = Cli.run("layout", "explain", "--json", "complement((2,4,8):(8,1,64), 1024)").json().getFirst()
        .get("steps");
    var because = steps.get(0).get("because").valueStream().map(l -> l.asString()).toList();
    assertEquals(List.of("mode 4:1 begins at 1, reaches 4", "gap  2:4 begins at 4, reaches 8",
        "mode 2:8 begins at 8, reaches 16", "gap  4:16 begins at 16, reaches 64", "mode 8:64 begins at 64, reaches 512",
        "gap  2:512 begins at 512, reaches 1024"), because.subList(0, 6));
  }

  @Test
  void saysWhyAnOperationIsUndefinedWithNumbersAndAWitness() {
    var run = Cli.run("layout", "explain", "size(composition((6,2):(1,7), (3,2):(2,3)))", "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var row = run.json().getFirst();
    assertTrue(row.get("value").isNull());
    assertEquals(1, row.get("steps").size(), "what comes after it is not reached");
    assertEquals("is undefined", row.get("steps").get(0).get("outcome").asString());
    // A(2·2 + 1·3) = A(7) = 8, and 2·2 + 3 = 7.
    assertTrue(row.toString().contains("at (2,1), index 5, 8 is demanded and 7 would be given"), row.toString());
  }

  @Test
  void numbersTheStepsFromTheInnermostOn() {
    var out = Cli.run("layout", "explain", "size(coalesce((2,(1,6)):(1,(6,2))))").out();
    assertTrue(out.startsWith("1. coalesce((2,(1,6)):(1,(6,2))) = 12:1\n"), out);
    assertTrue(out.contains("\n2. size(12:1) = 12\n"), out);
  }

  @Test
  void saysWhatTheDialectDoesWithAShortTiler() {
    var expression = "composition((4,8):(8,1), [2])";
    assertTrue(Cli.run("layout", "explain", expression).out().contains("the tiler's are dropped"));
    assertTrue(Cli.run("layout", "explain", "--dialect", "pycute", expression).out().contains("the tiler's are kept"));
  }

  @Test
  void refusesWhatIsNoExpression() {
    var run = Cli.run("layout", "explain", "complement(4:1");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("column 15"), run.err());
  }
}
