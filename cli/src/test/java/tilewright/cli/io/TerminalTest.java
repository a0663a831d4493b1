package tilewright.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
  private static final Terminal NARROW = new Terminal(true, true, 40, true);

  @Test
  void theEnvironmentSaysWhatIsATerminal() {
    var colours = Map.of("TILEWRIGHT_TERMINAL", "out,err", "COLUMNS", "132", "TERM", "xterm");
    assertEquals(new Terminal(true, true, 132, true), Terminal.of(colours));
    assertEquals(new Terminal(true, false, 80, false),
        Terminal.of(Map.of("TILEWRIGHT_TERMINAL", "out", "NO_COLOR", "1", "TERM", "xterm", "COLUMNS", "wide")));
    assertEquals(new Terminal(false, false, 80, false),
        Terminal.of(Map.of("TILEWRIGHT_TERMINAL", "", "TERM", "xterm")));
    assertFalse(Terminal.of(Map.of("TILEWRIGHT_TERMINAL", "out,err", "TERM", "dumb")).coloured());
  }

  private static TextTable table() {
    var table = new TextTable("kernel", "config", "status");
    table.add("softmax", "m=17 n=1000 dtype=bf16 with NaN and infinities", "pass");
    table.add("add", "n=1", "fail");
    return table;
  }

  @Test
  void aTableIsNoWiderThanTheTerminalAndLosesNothing() {
    var plain = new Terminal(true, true, 40, false);
    assertEquals("""
        kernel   config                   status
        softmax  m=17 n=1000 dtype=bf16   pass
                 with NaN and infinities
        add      n=1                      fail""", table().toString(plain));
  }

  @Test
  void whereThereIsNoTerminalEachRowIsOneLineWithoutColours() {
    var text = table().toString(new Terminal(false, true, 40, false), cell -> "<" + cell + ">");
    assertEquals(3, text.lines().count());
    assertTrue(text.contains("m=17 n=1000 dtype=bf16 with NaN and infinities  pass"), text);
    assertFalse(text.contains("<"), text);
  }

  @Test
  void coloursTakeNoPlace() {
    var text = table().toString(NARROW, cell -> cell.equals("pass") ? "\u001b[32mpass\u001b[0m" : cell);
    assertTrue(text.contains("\u001b[32mpass\u001b[0m"), text);
    assertEquals(table().toString(new Terminal(true, true, 40, false)), text.replaceAll("\u001b\\[[0-9;]*m", ""));
  }

  @Test
  void theBarSaysHowMuchTimeIsLeft() {
    assertEquals("[#####...............] 0:30 left  5/20 softmax",
        ProgressBar.line(0.25, Duration.ofSeconds(10), "5/20 softmax", 80));
    assertEquals("[....................] 1/20 softmax", ProgressBar.line(0, Duration.ZERO, "1/20 softmax", 80));
    assertEquals("[####################] 0:00 l…", ProgressBar.line(1, Duration.ofSeconds(1), "x", 31));
  }

  @Test
  void progressOverwritesItselfOnATerminalOnly() {
    var written = new ByteArrayOutputStream();
    console(written, NARROW).progress(0.5, Duration.ofSeconds(1), "x");
    assertTrue(written.toString().startsWith("\r[##########"), written.toString());
    written.reset();
    var file = console(written, Terminal.NONE);
    file.progress(0.5, Duration.ofSeconds(1), "first");
    file.progress(0.6, Duration.ofSeconds(1), "second");
    assertEquals("first\n", written.toString());
  }

  private static Console console(ByteArrayOutputStream err, Terminal terminal) {
    return new Console(InputStream.nullInputStream(), new PrintStream(new ByteArrayOutputStream()),
        new PrintStream(err, true), terminal);
  }
}
