package tilewright.cli.layout;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.Picture;

/** A picture in the format that the name of its file says. */
final class PictureFile {
  static final String OPTION = "A file that ends in .svg, .png, .tex, .html or .txt.";

  private PictureFile() {}

  static void write(Path file, Picture picture) {
    write(file, picture.toText(), picture.toDrawing());
  }

  /** @throws CommandFailure if no format has that ending */
  static void write(Path file, String text, Drawing drawing) {
    var bytes = ByteBuffer.wrap(bytes(file, text, drawing));
    AtomicFile.write(file, channel -> {
      while (bytes.hasRemaining()) channel.write(bytes);
    });
  }

  private static byte[] bytes(Path file, String text, Drawing drawing) {
    var name = file.toString();
    if (name.endsWith(".png")) return drawing.toPng();
    if (name.endsWith(".svg")) return utf8(drawing.toSvg());
    if (name.endsWith(".tex")) return utf8(drawing.toTikz());
    if (name.endsWith(".html")) return utf8(drawing.toHtml());
    if (name.endsWith(".txt")) return utf8(text);
    throw CommandFailure.badFile(file,
        "no picture is of this kind; needed is a name that ends in .svg, .png, .tex, .html or .txt");
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
