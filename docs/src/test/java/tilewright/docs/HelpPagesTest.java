package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class HelpPagesTest {
  @Test
  void commandsAreTheIndentedNamesOfTheirSection() {
    var help = """
        Usage: tilewright COMMAND
          --json   not a command
        Commands:
          verify  Run kernels in the simulator
                    and compare.
          layout  Evaluate.
          narrow-gemm  Multiply.

        Exit codes: 0 done
          none
        """;
    assertEquals(List.of("verify", "layout", "narrow-gemm"), HelpPages.subcommands(help));
  }

  @Test
  void aCommandWithoutSubcommandsHasNone() {
    assertEquals(List.of(), HelpPages.subcommands("Usage: tilewright doctor\n  --json  x\n"));
  }
}
