package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.atom.LdMatrix;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.layout.OffsetMap;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.tuple.IntTuple;

/** The site's figures, drawn from the layouts that the kernels use. */
final class Figures {
  private static final int CHUNK = 8;

  private Figures() {}

  static void write(Path folder) throws IOException {
    var figures = new HashMap<>(Map.of("flow", flow(), "swizzle", swizzle().toDrawing(),
        "fragment-c", fragmentC().toDrawing(),
        "ldmatrix", ldMatrix().toDrawing(), "morphisms", MorphismExample.figure(),
        "attention-blocks", AttentionFigures.blocks().toDrawing(), "attention-memory", AttentionMemory.figure(),
        "hopper-pipeline", HardwareFigures.hopperPipeline(),
        "tensor-core-sum", HardwareFigures.tensorCoreSum().toDrawing()));
    figures.put("attention-backward-keys", BackwardFigures.hopper(BackwardFigures.OWN_KEYS, "The five GEMMs of a"
        + " tile of queries, head dimensions up to 128: each warpgroup multiplies for 64 keys of its own"));
    figures.put("attention-backward-columns", BackwardFigures.hopper(BackwardFigures.SHARED_KEYS, "The five GEMMs of a"
        + " tile of queries, head dimensions 192 and 256: warpgroups share the columns of 64 keys' gradients"));
    figures.put("attention-backward-blackwell", BackwardFigures.blackwell());
    figures.put("attention-fp8-keys", ConformanceFigures.keys().toDrawing());
    figures.put("masks-of-positions", MaskFigures.positions().toDrawing());
    figures.put("masks-of-structures", MaskFigures.structures().toDrawing());
    for (var figure : figures.entrySet()) {
      Files.writeString(folder.resolve(figure.getKey() + ".svg"), figure.getValue().toSvg());
    }
  }

  /** The system in one picture. */
  static Drawing flow() {
    return new Drawing(760, 190, "A layout becomes a kernel in Java, then PTX, which the simulator and a GPU run;"
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
  static Picture swizzle() {
    var swizzled = SwizzledTile.alongColumns(CHUNK, 64, 1);
    return Picture.of("The bank group of each 16-byte chunk, without and with the swizzle",
        bankGroups(swizzled.layout(), "plain"), bankGroups(swizzled, swizzled.swizzle().toString()));
  }

  private static Panel bankGroups(OffsetMap tile, String title) {
    var cells = new ArrayList<Cell>();
    for (int row = 0; row < CHUNK; row++) {
      for (int chunk = 0; chunk < CHUNK; chunk++) {
        int group = bankGroup(tile, row, chunk);
        cells.add(new Cell(row, chunk, 1, group, List.of(String.valueOf(group)), chunk == 0,
            "row " + row + ", chunk " + chunk + ": bank group " + group));
      }
    }
    return Panel.of(title, CHUNK, CHUNK, cells).labelled(row -> "row " + row, String::valueOf)
        .noted("columns are chunks of " + CHUNK + "; framed: one ldmatrix");
  }

  /** The eighth of the 32 banks that holds a chunk of eight 16-bit elements. */
  static int bankGroup(OffsetMap tile, int row, int chunk) {
    var place = IntTuple.of(IntTuple.of(row), IntTuple.of((long) chunk * CHUNK), IntTuple.of(0));
    return Math.toIntExact(tile.apply(place) / CHUNK % CHUNK);
  }

  /** Lane and register of every element of the accumulator of one mma.m16n8k16. */
  static Picture fragmentC() {
    return Pictures.threadValues(MmaAtom.C, IntTuple.flat(MmaAtom.M, MmaAtom.N));
  }

  /**
   * A picture of the lanes that give ldmatrix.x4 the addresses of rows of eight, for an operand with neighbours along
   * k.
   */
  static Picture ldMatrix() {
    int tile = LdMatrix.TILE;
    var cells = new ArrayList<Cell>();
    var lanes = LdMatrix.A_K_MAJOR.lanes();
    for (int lane = 0; lane < lanes.size(); lane++) {
      int index = Math.toIntExact(lanes.apply(lane));
      var label = "lane " + lane;
      cells.add(new Cell(index % tile, index / tile, CHUNK, lane / CHUNK, List.of(label), false, label));
    }
    return Picture.of("The row of eight elements whose address each lane gives to ldmatrix",
        Panel.of("", tile, tile, cells).labelled(row -> "m" + row, column -> "k" + column));
  }
}
