package tilewright.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.layout.LayoutGrid;
import tilewright.layout.OffsetMap;

/** {@code tilewright layout draw}: a layout as a picture. */
@Command(name = "draw", description = {
    "Draw a layout as a table of offsets: the first mode goes down, the others go across.",
    "Without --out, the text goes to standard output."})
final class LayoutDraw implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "A layout or an operation on layouts, as layout eval takes them.")
  private String expression;

  @Option(names = "--out", paramLabel = "FILE", description = "A file that ends in .svg or .txt.")
  private Optional<Path> out;

  LayoutDraw(Console console) {
    this.console = console;
  }

  record Row(String expr, String layout, Optional<String> out, Optional<String> text) {}

  @Override
  public Integer call() {
    var map = LayoutExpression.evaluateOrFail(expression);
    var grid = grid(map);
    out.ifPresent(file -> write(file, grid));
    // The text is the result where there is no file.
    var text = out.isPresent() ? Optional.<String>empty() : Optional.of(grid.toText());
    console.result(new Row(expression, map.toString(), out.map(Path::toString), text),
        text.orElseGet(() -> out.get() + ": " + map));
    return Exit.OK;
  }

  private static LayoutGrid grid(OffsetMap map) {
    try {
      return LayoutGrid.of(map);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static void write(Path file, LayoutGrid grid) {
    var name = file.toString();
    if (!name.endsWith(".svg") && !name.endsWith(".txt")) {
      throw CommandFailure.badFile(file, "no picture is of this kind; needed is a name that ends in .svg or .txt");
    }
    AtomicFile.write(file, name.endsWith(".svg") ? grid.toSvg() : grid.toText() + "\n");
  }
}
