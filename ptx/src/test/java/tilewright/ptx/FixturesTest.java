package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What nvcc and people wrote survives being read and printed. */
class FixturesTest {
  static List<String> fixtures() {
    return Fixtures.NAMES;
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void printingWhatWasReadKeepsEveryWord(String name) {
    String text = Fixtures.text(name);
    assertEquals(Words.of(text), Words.of(PtxPrinter.print(PtxParser.parse(text))));
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void readingWhatWasPrintedGivesTheSameModule(String name) {
    var module = PtxParser.parse(Fixtures.text(name));
    assertEquals(module, PtxParser.parse(PtxPrinter.print(module)));
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyInstructionCarriesTheLineItStandsOn(String name) {
    String text = Fixtures.text(name);
    var lines = text.lines().toList();
    for (var instruction : instructions(PtxParser.parse(text))) {
      var mnemonic = Pattern.compile("(^|[\\s;])" + Pattern.quote(instruction.name()) + "[\\s;]");
      assertTrue(mnemonic.matcher(lines.get(instruction.line() - 1) + "\n").find(),
          () -> instruction + " is not on line " + instruction.line());
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void acceptedTextHasNoFindings(String name) {
    assertEquals(List.of(), PtxCheck.check(PtxParser.parse(Fixtures.text(name))));
  }

  private static List<Instruction> instructions(PtxModule module) {
    return module.functions().stream().flatMap(f -> f.body().stream()).flatMap(List::stream)
        .mapMulti(FixturesTest::flatten).toList();
  }

  private static void flatten(Statement statement, java.util.function.Consumer<Instruction> sink) {
    switch (statement) {
      case Instruction instruction -> sink.accept(instruction);
      case Statement.Block(var body) -> body.forEach(inner -> flatten(inner, sink));
      default -> {}
    }
  }
}
