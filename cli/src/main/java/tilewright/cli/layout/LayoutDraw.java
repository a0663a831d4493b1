package tilewright.cli.layout;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.NearestName;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.MorphismDiagram;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.expression.Value;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;

/** {@code tilewright layout draw}: a layout as a picture. */
@Command(name = "draw", description = {
    "Draw a layout as a table: the first mode goes down, the others go across.",
    "A morphism of tuples is drawn as columns of integers with arrows between them.",
    "Without --out, the text goes to standard output."})
@Examples({"layout draw '(2,(2,3)):(6,(3,1))'",
    "layout draw '((4,8),(2,2)):((32,1),(16,8))' --as tv --with '(16,8)' --out c.svg",
    "layout draw 'Sw<3,3,3>o0o(8,64):(64,1)' --as banks --bytes 2",
    "layout draw '(8,16):(16,1)' --as divide --with '[4:1;2:8]'",
    "layout draw '(2,4):(4,1)' --as product --with '(3,2):(2,1)'",
    "layout draw '(6,2):(8,2)' --as compose --with '(4,3):(3,1)'",
    "layout draw '(2,3,4)->(4,3,2):(3,2,1)' --out morphism.png"})
public final class LayoutDraw implements Callable<Integer> {
  private static final List<String> KINDS = List.of("offsets", "tv", "banks", "divide", "product",
      "compose",      "morphism");

  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "A layout or an operation on layouts, as layout eval takes them.")
  private String expression;

  @Option(names = "--as", paramLabel = "KIND", defaultValue = "offsets", description = "What to show: offsets (default), tv "
      + "(thread and value of each element of the tile --with), banks of shared memory, divide (into tiles --with), "
      + "product (repeated --with), compose (with the inner layout --with), morphism (a morphism of "
      + "tuples, or that of a layout: an arrow from each integer of the domain to its position).")
  private String kind;

  @Option(names = "--with", paramLabel = "OPERAND",
      description = "The shape of the tile (tv), the tiler (divide), or the other layout (product, compose).")
  private Optional<String> operand;

  @Option(names = "--bytes", paramLabel = "N", defaultValue = "4",
      description = "Bytes of an element, for banks (default: 4).")
  private int elementBytes;

  @Option(names = "--out", paramLabel = "FILE", description = PictureFile.OPTION)
  private Optional<Path> out;

  public LayoutDraw(Console console) {
    this.console = console;
  }

  record Row(String expr, String kind, String layout, Optional<String> out, Optional<String> text) {}

  @Override
  public Integer call() {
    var value = LayoutExpression.valueOrFail(expression);
    if (value instanceof Value.Morphism(TupleMorphism morphism)) return drawn(diagramOrFail(morphism), value.toString());
    var map = LayoutExpression.evaluateOrFail(expression);
    if (kind.equals("morphism")) return drawn(diagramOrFail(LayoutExpression.standardFormOrFail(map)), map.toString());
    var picture = pictureOrFail(map);
    return drawn(picture.title(), picture.toText(), picture.toDrawing(), map.toString());
  }

  private int drawn(MorphismDiagram diagram, String value) {
    return drawn(diagram.title(), diagram.toText(), diagram.toDrawing(), value);
  }

  private int drawn(String title, String asText, Drawing drawing, String value) {
    out.ifPresent(file -> PictureFile.write(file, asText, drawing));
    // The text is the result where there is no file.
    var text = out.isPresent() ? Optional.<String>empty() : Optional.of(asText.stripTrailing());
    console.result(new Row(expression, kind, value, out.map(Path::toString), text),
        text.orElseGet(() -> out.get() + ": " + title));
    return Exit.OK;
  }

  /** A morphism, or with {@code --as compose} the one {@code --with} and then it. */
  private MorphismDiagram diagramOrFail(TupleMorphism morphism) {
    if (!List.of("offsets", "morphism", "compose").contains(kind)) {
      throw CommandFailure.badInput("--as " + kind + " draws layouts, got the morphism " + morphism
          + "; draw the layout " + morphism.layout());
    }
    if (!kind.equals("compose")) return MorphismDiagram.of(morphism);
    if (!(LayoutExpression.valueOrFail(operand("the inner morphism")) instanceof Value.Morphism(TupleMorphism inner))) {
      throw CommandFailure.badInput("--with " + operand.get() + " is no morphism, such as (2,3)→(3,2):(2,1)");
    }
    try {
      return MorphismDiagram.of(inner, morphism);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
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
}
