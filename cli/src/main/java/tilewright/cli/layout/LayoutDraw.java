package tilewright.cli.layout;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.NearestName;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.tuple.IntTuple;

/** {@code tilewright layout draw}: a layout as a picture. */
@Command(name = "draw", description = {
    "Draw a layout as a table: the first mode goes down, the others go across.",
    "Without --out, the text goes to standard output."})
@Examples({"layout draw '(2,(2,3)):(6,(3,1))'",
    "layout draw '((4,8),(2,2)):((32,1),(16,8))' --as tv --with '(16,8)' --out c.svg",
    "layout draw 'Sw<3,3,3>o0o(8,64):(64,1)' --as banks --bytes 2",
    "layout draw '(8,16):(16,1)' --as divide --with '[4:1;2:8]'",
    "layout draw '(2,4):(4,1)' --as product --with '(3,2):(2,1)'",
    "layout draw '(6,2):(8,2)' --as compose --with '(4,3):(3,1)'"})
public final class LayoutDraw implements Callable<Integer> {
  private static final List<String> KINDS = List.of("offsets", "tv", "banks", "divide", "product", "compose");

  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "A layout or an operation on layouts, as layout eval takes them.")
  private String expression;

  @Option(names = "--as", paramLabel = "KIND", defaultValue = "offsets", description = "What to show: offsets (default), tv "
      + "(thread and value of each element of the tile --with), banks of shared memory, divide (into tiles --with), "
      + "product (repeated --with), compose (with the inner layout --with).")
  private String kind;

  @Option(names = "--with", paramLabel = "OPERAND",
      description = "The shape of the tile (tv), the tiler (divide), or the other layout (product, compose).")
  private Optional<String> operand;

  @Option(names = "--bytes", paramLabel = "N", defaultValue = "4",
      description = "Bytes of an element, for banks (default: 4).")
  private int elementBytes;

  @Option(names = "--out", paramLabel = "FILE", description = "A file that ends in .svg, .tex, .html or .txt.")
  private Optional<Path> out;

  public LayoutDraw(Console console) {
    this.console = console;
  }

  record Row(String expr, String kind, String layout, Optional<String> out, Optional<String> text) {}

  @Override
  public Integer call() {
    var map = LayoutExpression.evaluateOrFail(expression);
    var picture = pictureOrFail(map);
    out.ifPresent(file -> AtomicFile.write(file, contents(file, picture)));
    // The text is the result where there is no file.
    var text = out.isPresent() ? Optional.<String>empty() : Optional.of(picture.toText().stripTrailing());
    console.result(new Row(expression, kind, map.toString(), out.map(Path::toString), text),
        text.orElseGet(() -> out.get() + ": " + picture.title()));
    return Exit.OK;
  }

  private Picture pictureOrFail(OffsetMap map) {
    try {
      return picture(map);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private Picture picture(OffsetMap map) {
    return switch (kind) {
      case "offsets" -> Pictures.offsets(map);
      case "tv" -> Pictures.threadValues(map, IntTuple.parse(operand("the shape of the tile")));
      case "banks" -> Pictures.banks(map, elementBytes);
      case "divide" -> Pictures.division(map, Tiler.parse(operand("a tiler")));
      case "product" -> Pictures.product(plain(map), other("the layout of its repetitions"));
      case "compose" -> Pictures.composition(plain(map), other("the inner layout"));
      default -> throw NearestName.unknown("--as", kind, KINDS);
    };
  }

  private String operand(String what) {
    return operand.orElseThrow(() -> CommandFailure.badInput("--as " + kind + " needs --with: " + what));
  }

  private Layout other(String what) {
    return plain(LayoutExpression.evaluateOrFail(operand(what)));
  }

  private Layout plain(OffsetMap map) {
    if (map instanceof Layout layout) return layout;
    throw CommandFailure.badInput("--as " + kind + " takes layouts without a swizzle, got " + map);
  }

  static String contents(Path file, Picture picture) {
    var name = file.toString();
    if (name.endsWith(".svg")) return picture.toSvg();
    if (name.endsWith(".tex")) return picture.toTikz();
    if (name.endsWith(".html")) return picture.toHtml();
    if (name.endsWith(".txt")) return picture.toText();
    throw CommandFailure.badFile(file,
        "no picture is of this kind; needed is a name that ends in .svg, .tex, .html or .txt");
  }
}
