package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RoundTripProperties {
  @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
  void parsingWhatWasPrintedGivesTheSameModule(@ForAll("modules") PtxModule module) {
    assertEquals(module, PtxParser.parse(PtxPrinter.print(module)));
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void layoutOfTheTextDoesNotMatter(@ForAll("modules") PtxModule module) {
    String text = PtxPrinter.print(module);
    // a string or a comment may hold blanks of its own
    String spread = text.lines()
        .map(line -> line.contains("\"") || line.contains("//") ? line : line.replace(" ", "\t \t"))
        .map(line -> line + "\r\n\n").reduce("", String::concat);
    assertEquals(module, PtxParser.parse(spread));
  }

  @Provide
  Arbitrary<PtxModule> modules() {
    return PtxModules.modules();
  }
}
