package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** PNG files, read by a reader of their own. */
class LayoutPngTest {
  @TempDir
  Path folder;

  private record Image(int width, int height, byte[] palette, byte[] pixels) {
    int rgb(int x, int y) {
      int entry = 3 * (pixels[y * (width + 1) + 1 + x] & 0xFF);
      return (palette[entry] & 0xFF) << 16 | (palette[entry + 1] & 0xFF) << 8 | palette[entry + 2] & 0xFF;
    }
  }

  private Image drawn(String... arguments) throws IOException, DataFormatException {
    var file = folder.resolve("a.png");
    var all = new ArrayList<>(List.of("layout", "draw"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("--out", file.toString()));
    var run = Cli.run(all.toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    return read(Files.readAllBytes(file));
  }

  /** Checks every chunk's sum, and that there is a pixel for each place. */
  private static Image read(byte[] png) throws DataFormatException {
    var bytes = ByteBuffer.wrap(png);
    assertEquals(0x89504E470D0A1A0AL, bytes.getLong());
    Map<String, byte[]> chunks = new HashMap<>();
    while (bytes.hasRemaining()) {
      var data = new byte[bytes.getInt()];
      var type = new byte[4];
      var crc = new CRC32();
      bytes.get(type).get(data);
      crc.update(type);
      crc.update(data);
      assertEquals((int) crc.getValue(), bytes.getInt());
      chunks.put(new String(type, StandardCharsets.US_ASCII), data);
    }
    var header = ByteBuffer.wrap(chunks.get("IHDR"));
    int width = header.getInt();
    int height = header.getInt();
    var inflater = new Inflater();
    inflater.setInput(chunks.get("IDAT"));
    var pixels = new ByteArrayOutputStream();
    var part = new byte[1 << 16];
    while (!inflater.finished()) pixels.write(part, 0, inflater.inflate(part));
    assertEquals(height * (width + 1), pixels.size());
    return new Image(width, height, chunks.get("PLTE"), pixels.toByteArray());
  }

  /** Four times the bank of a word each, in a row; each cell has its bank's colour where there is no label. */
  @Test
  void cellsHaveTheColoursOfTheirBanks() throws IOException, DataFormatException {
    var image = drawn("4:1", "--as", "banks", "--bytes", "16");
    var colours = new HashSet<Integer>();
    for (int y = 0; y < image.height(); y++) for (int x = 0; x < image.width(); x++) colours.add(image.rgb(x, y));
    var svg = folder.resolve("a.svg");
    assertEquals(Exit.OK, Cli.run("layout", "draw", "4:1", "--as", "banks", "--bytes", "16", "--out", svg.toString())
        .exitCode());
    var named = Pattern.compile("rect\\.c\\d+ \\{ fill: #(\\w{6})").matcher(Files.readString(svg));
    int banks = 0;
    for (; named.find(); banks++) assertTrue(colours.contains(Integer.parseInt(named.group(1), 16)), named.group());
    assertEquals(4, banks);
    assertTrue(colours.contains(0xFFFFFF) && colours.contains(0x1C2024), "paper and ink");
  }

  @Test
  void thePictureIsThreeTimesAsLargeAsTheSvg() throws IOException, DataFormatException {
    var image = drawn("(2,3):(3,1)");
    var svg = folder.resolve("a.svg");
    Cli.run("layout", "draw", "(2,3):(3,1)", "--out", svg.toString());
    assertTrue(Files.readString(svg).contains("viewBox=\"0 0 " + image.width() / 3 + " " + image.height() / 3 + "\""));
    assertEquals(0, image.width() % 3);
  }

  @Test
  void morphismsAreDrawnWithAnArrowForEachPosition() throws IOException {
    var svg = folder.resolve("m.svg");
    var run = Cli.run("layout", "draw", "(2,3,4)->(4,2):(2,0,1)", "--out", svg.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    // Two arrows of three strokes each, and five boxes.
    assertEquals(6, Files.readString(svg).split("<path d=").length - 1);
    assertEquals(5, Files.readString(svg).split("<rect class=\"box\"").length - 1);
    var text = Cli.run("layout", "draw", "(2,3,4)→(4,2):(2,0,1)").out();
    assertTrue(text.contains("layout (2,3,4):(4,0,1)"), text);
    assertTrue(text.contains("1: 2 → position 2 of (4,2), 2"), text);
    assertTrue(text.contains("2: 3 → none"), text);
    assertTrue(Cli.run("layout", "draw", "(4,2):(2,1)", "--as", "morphism").out().contains("(4,2)→(2,4):(2,1)"));
    assertEquals(Exit.OK, Cli.run("layout", "draw", "(3,2)→(2,3):(2,1)", "--as", "compose", "--with",
        "(2,3)→(3,2):(2,1)").exitCode());
    for (var wrong : new String[][] {{"(4,2):(3,1)", "--as", "morphism"}, {"(2)→(2):(1)", "--as", "banks"},
        {"(2)→(2):(1)", "--as", "compose", "--with", "4:1"}, {"(2)→(2):(1)", "--as", "compose"},
        {"Sw<1,1,1>o0o4:1", "--as", "morphism"}}) {
      var all = new ArrayList<>(List.of("layout", "draw"));
      all.addAll(Arrays.asList(wrong));
      var refused = Cli.run(all.toArray(String[]::new));
      assertEquals(Exit.BAD_INPUT, refused.exitCode(), refused.out());
      assertEquals(1, refused.err().lines().count(), refused.err());
    }
  }
}
