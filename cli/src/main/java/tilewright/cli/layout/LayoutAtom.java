package tilewright.cli.layout;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.NearestName;
import tilewright.kernel.Warp;
import tilewright.layout.OffsetMap;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm90.atom.WgmmaAtom;

/** {@code tilewright layout atom}: an atom's partition in print and as a picture. */
@Command(name = "atom", description = {
    "Print and draw which element of its tile an instruction gives to which thread.",
    "mma: operands of mma.sync. ldmatrix, stmatrix: matrices of 8×8. "
        + "wgmma: accumulators of a warpgroup. umma: accumulators in Tensor Memory. tmem: tcgen05.ld and st. tma: a tile in "
        + "shared memory and the boxes that copy it. scales: block scales in Tensor Memory."})
@Examples({"layout atom mma --type bf16 --operand a", "layout atom ldmatrix --matrices 2 --transposed",
    "layout atom umma --type bf16 --rows 64 --columns 16", "layout atom tmem --shape 16x256b --columns 16",
    "layout atom tma --type bf16 --rows 8 --columns 64 --out tile.svg"})
public final class LayoutAtom implements Callable<Integer> {
  private static final List<String> KINDS = List.of("mma", "ldmatrix", "stmatrix", "wgmma", "umma", "tmem", "tma",
      "scales");

  private final Console console;

  @Parameters(paramLabel = "KIND", description = "Of mma, ldmatrix, stmatrix, wgmma, umma, tmem, tma, scales.")
  private String kind;

  @Option(names = "--type", paramLabel = "TYPE", defaultValue = "bf16", description = "Of the factors (default: bf16).")
  private String type;

  @Option(names = "--rows", paramLabel = "N", defaultValue = "128", description = "Of the tile (default: 128).")
  private int rows;

  @Option(names = "--columns", paramLabel = "N", defaultValue = "16", description = "Of the tile (default: 16).")
  private int columns;

  @Option(names = "--ctas", paramLabel = "1|2", defaultValue = "1",
      description = "That multiply together, for umma (default: 1).")
  private int ctas;

  @Option(names = "--shape", paramLabel = "SHAPE", description = "Of tmem: 32x32b, 16x64b, 16x128b, 16x256b (default: "
      + "32x32b). Of mma: m16n8k4 to m16n8k32, as the type has it (default: the largest).")
  private Optional<String> shape = Optional.empty();

  @Option(names = "--operand", paramLabel = "a|b|c", defaultValue = "c",
      description = "Of mma: a (M×K), b (N×K) or c, the accumulators (default: c).")
  private String operand;

  @Option(names = "--matrices", paramLabel = "1|2|4", defaultValue = "4",
      description = "Of ldmatrix and stmatrix (default: 4).")
  private int matrices;

  @Option(names = "--transposed", description = "For ldmatrix and stmatrix: with .trans.")
  private boolean transposed;

  @Option(names = "--along", paramLabel = "columns|rows", defaultValue = "columns",
      description = "Where neighbours lie side by side, for tma (default: columns).")
  private String along;

  @Option(names = "--out", paramLabel = "FILE", description = PictureFile.OPTION)
  private Optional<Path> out = Optional.empty();

  public LayoutAtom(Console console) {
    this.console = console;
  }

  /**
   * An instruction as it is printed and drawn.
   *
   * @param atom the instruction
   * @param facts one line each
   */
  private record Shown(String atom, List<String> facts, OffsetMap layout, Picture picture) {}

  record Row(String atom, List<String> facts, String layout, Optional<String> out, Optional<String> text) {}

  @Override
  public Integer call() {
    var shown = shownOrFail();
    out.ifPresent(file -> PictureFile.write(file, shown.picture));
    var text = out.isPresent() ? Optional.<String>empty() : Optional.of(shown.picture.toText().stripTrailing());
    var row = new Row(shown.atom, shown.facts, shown.layout.toString(), out.map(Path::toString), text);
    console.result(row, shown.atom + "\n" + shown.facts.stream().map(fact -> fact + "\n").collect(Collectors.joining())
        + text.orElseGet(() -> out.get() + ": " + shown.picture.title()));
    return Exit.OK;
  }

  private Shown shownOrFail() {
    try {
      return switch (kind) {
        case "mma" -> warp(WarpFragment.mma(type, shape.orElse(""), operand));
        case "ldmatrix", "stmatrix" -> warp(WarpFragment.matrices(kind, matrices, transposed));
        case "wgmma" -> wgmma();
        case "umma" -> umma();
        case "tmem" -> tensorMemory();
        case "tma" -> tile();
        case "scales" -> scales();
        default -> throw NearestName.unknown("atom", kind, KINDS);
      };
    } catch (RuntimeException e) {
      if (e instanceof CommandFailure) throw e;
      throw CommandFailure.badInput(String.valueOf(e.getMessage()));
    }
  }

  private Shown warp(WarpFragment fragment) {
    var ignored = fragment.rows() < Warp.SIZE ? "; addresses of other lanes are ignored" : "";
    var rows = kind.equals("mma") ? List.<String>of()
        : List.of("lane l gives the address of row l of the matrices, one below the other" + ignored);
    var facts = Stream.concat(Stream.of("(lane, value) -> row + " + fragment.rows() + " column"), rows.stream());
    return shown(fragment.instruction(), facts.toList(), fragment.layout(), fragment.tile());
  }

  private Shown wgmma() {
    var partition = WgmmaAtom.accumulators(columns);
    return shown("wgmma.mma_async: 64x" + columns + " sums of a warpgroup",
        List.of("(thread, value) -> row + 64 column"), partition.layout(), partition.tile());
  }

  private Shown umma() {
    var format = Arrays.stream(MmaFormat.values()).filter(f -> f.text().equals(type)).findFirst().orElseThrow(() ->
        CommandFailure.badInput("no tcgen05.mma multiplies " + type + ": " + Arrays.stream(MmaFormat.values())
            .map(MmaFormat::text).collect(Collectors.joining(" or "))));
    var kind = MmaKind.of(format);
    var sums = kind == MmaKind.I8 ? ElementType.I32 : ElementType.F32;
    var atom = new UmmaAtom(kind, format, format, sums, rows, columns, ctas);
    return shown(atom.form() + ": " + rows + "x" + columns + "x" + atom.depth() + ", sums of " + sums.text(),
        List.of("addresses of D in each CTA, 65536 a lane: " + atom.accumulator(),
            "(row, column) -> lane + 128 column, " + atom.accumulatorColumns() + " columns of Tensor Memory"),
        atom.partition(), List.of((long) TensorMemory.LANES, (long) atom.accumulatorColumns()));
  }

  private Shown tensorMemory() {
    var wanted = shape.orElse("32x32b");
    var one = Arrays.stream(TensorMemoryAccess.Shape.values())
        .filter(s -> new TensorMemoryAccess(s, 1).instruction().contains("." + wanted + ".")).findFirst()
        .orElseThrow(() -> NearestName.unknown("--shape", wanted, List.of("32x32b", "16x64b", "16x128b", "16x256b")));
    var access = new TensorMemoryAccess(one, Math.max(1, columns / new TensorMemoryAccess(one, 1).columns()));
    return shown("tcgen05.ld" + access.instruction(), List.of("(thread, value) -> lane + 128 column"),
        access.partition().layout(), access.partition().tile());
  }

  private Shown tile() {
    var element = ElementType.parse(type).orElseThrow(() -> NearestName.unknown("--type", type,
        Arrays.stream(ElementType.values()).map(ElementType::text).toList()));
    boolean byColumns = switch (along) {
      case "columns" -> true;
      case "rows" -> false;
      default -> throw CommandFailure.badInput("invalid --along " + along + ": columns or rows");
    };
    var tile = new CopiedTile(element, rows, columns, byColumns);
    var map = tile.map();
    return new Shown("cp.async.bulk.tensor: " + rows + "x" + columns + " of " + element.text(),
        List.of("boxes of " + map.box().subList(0, 2) + ", swizzled " + map.swizzle().name().toLowerCase(Locale.ROOT),
            "(row, column) -> element of shared memory: " + tile.layout()),
        tile.layout(), Pictures.banks(tile.layout(), element.bytes()));
  }

  private Shown scales() {
    var layout = ScaleCopy.layout();
    return new Shown("tcgen05.cp.32x128b.warpx4: scales of " + ScaleCopy.ROWS + " rows, " + ScaleCopy.SCALES + " each",
        List.of("(row, scale) -> byte of shared memory; byte 16 l + 4 c + s goes to lane l, column c, byte s"), layout,
        Pictures.offsets(layout));
  }

  private static Shown shown(String atom, List<String> facts, OffsetMap layout, List<Long> tile) {
    var extents = IntTuple.flat(tile.stream().mapToLong(Long::longValue).toArray());
    return new Shown(atom, facts, layout, Pictures.threadValues(layout, extents));
  }
}
