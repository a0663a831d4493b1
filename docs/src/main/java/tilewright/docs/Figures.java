package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tilewright.kernel.atom.LdMatrix;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;

/** The site's figures, drawn from the layouts that the kernels use. */
final class Figures {
  private static final int CELL = 26;
  private static final int CHUNK = 8;

  private Figures() {}

  static void write(Path folder) throws IOException {
    var figures = Map.of("flow", flow(), "swizzle", swizzle(), "fragment-c", fragmentC(), "ldmatrix", ldMatrix(),
        "morphisms", MorphismExample.figure());
    for (var figure : figures.entrySet()) {
      Files.writeString(folder.resolve(figure.getKey() + ".svg"), figure.getValue().toString());
    }
  }

  /** The system in one picture. */
  static Svg flow() {
    return new Svg(760, 190, "A layout becomes a kernel in Java, then PTX, which the simulator and a GPU run;"
        + " a CPU reference over the same layouts says what is right")
        .box(10, 30, 110, 50, "Layout", "proved")
        .arrow(120, 55, 170, 55).box(170, 30, 130, 50, "Kernel in Java", "traced once")
        .arrow(300, 55, 350, 55).box(350, 30, 90, 50, "PTX text")
        .arrow(440, 40, 490, 40).box(490, 10, 120, 44, "Simulator", "any machine")
        .arrow(440, 70, 490, 70).box(490, 60, 120, 44, "Driver", "NVIDIA GPU")
        .arrow(65, 80, 65, 130).box(10, 130, 600, 44, "CPU reference", "same layouts")
        .box(660, 10, 90, 164, "Compare")
        .arrow(610, 32, 660, 32).arrow(610, 82, 660, 82).arrow(610, 152, 660, 152);
  }

  /** Bank groups of a shared-memory tile of 64 columns of 16-bit elements, without and with the swizzle. */
  static Svg swizzle() {
    int left = 60;
    int right = left + 10 * CELL + 60;
    var svg = new Svg(right + 8 * CELL + 40, 60 + 8 * CELL + 40,
        "The bank group of each 16-byte chunk, without and with the swizzle");
    var swizzled = SwizzledTile.alongColumns(CHUNK, 64, 1);
    bankGroups(svg, left, swizzled.layout(), "plain");
    bankGroups(svg, right, swizzled, swizzled.swizzle().toString());
    for (int row = 0; row < CHUNK; row++) svg.text(left - 28, 60 + row * CELL + CELL / 2, "small", "row " + row);
    return svg;
  }

  private static void bankGroups(Svg svg, int x, OffsetMap tile, String title) {
    svg.text(x + 4 * CELL, 20, "", title);
    svg.text(x + 4 * CELL, 44, "small", "columns in chunks of " + CHUNK);
    for (int row = 0; row < CHUNK; row++) {
      for (int chunk = 0; chunk < CHUNK; chunk++) {
        int group = bankGroup(tile, row, chunk);
        svg.cell(x + chunk * CELL, 60 + row * CELL, CELL, CELL, group, CHUNK, String.valueOf(group));
      }
    }
    svg.frame(x, 60, CELL, CHUNK * CELL);
    svg.text(x + 4 * CELL, 60 + CHUNK * CELL + 20, "small", "framed: what 8 lanes of ldmatrix read at once");
  }

  /** Which eighth of the 32 banks holds a chunk of eight 16-bit elements. */
  static int bankGroup(OffsetMap tile, int row, int chunk) {
    var place = IntTuple.of(IntTuple.of(row), IntTuple.of((long) chunk * CHUNK), IntTuple.of(0));
    return Math.toIntExact(tile.apply(place) / CHUNK % CHUNK);
  }

  /** Lane and register of every element of the accumulator of one mma.m16n8k16. */
  static Svg fragmentC() {
    int width = 62;
    var svg = new Svg(60 + MmaAtom.N * width + 10, 40 + MmaAtom.M * CELL + 10,
        "Lane and register of each element of C in mma.m16n8k16");
    header(svg, 60, width, MmaAtom.N, MmaAtom.M, "n");
    eachOf(MmaAtom.C, (lane, value, index) -> {
      int row = index % MmaAtom.M;
      int column = index / MmaAtom.M;
      svg.cell(60 + column * width, 40 + row * CELL, width, CELL, lane / 4, 8, "T" + lane + " c" + value);
    });
    return svg;
  }

  /** Which lane gives ldmatrix.x4 the address of which row of eight, for an operand with neighbours along k. */
  static Svg ldMatrix() {
    int width = 14;
    int tile = LdMatrix.TILE;
    var svg = new Svg(60 + tile * width + 10, 40 + tile * CELL + 10,
        "The row of eight elements whose address each lane gives to ldmatrix");
    header(svg, 60, width, tile, tile, "k");
    var lanes = LdMatrix.A_K_MAJOR.lanes();
    for (int lane = 0; lane < lanes.size(); lane++) {
      int index = Math.toIntExact(lanes.apply(lane));
      svg.cell(60 + index / tile * width, 40 + index % tile * CELL, 8 * width, CELL, lane / 8, 4, "lane " + lane);
    }
    return svg;
  }

  private static void header(Svg svg, int x, int width, int columns, int rows, String mode) {
    for (int column = 0; column < columns; column++) {
      if (width > CELL || column % 8 == 0) svg.text(x + column * width + width / 2, 26, "small", mode + column);
    }
    for (int row = 0; row < rows; row++) svg.text(x - 24, 40 + row * CELL + CELL / 2, "small", "m" + row);
  }

  private interface Visitor {
    void visit(int lane, int value, int index);
  }

  private static void eachOf(Layout threadValue, Visitor visitor) {
    int lanes = Math.toIntExact(threadValue.mode(0).size());
    for (int i = 0; i < threadValue.size(); i++) {
      visitor.visit(i % lanes, i / lanes, Math.toIntExact(threadValue.apply(i)));
    }
  }
}
