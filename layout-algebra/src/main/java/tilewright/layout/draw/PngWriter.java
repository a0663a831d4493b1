package tilewright.layout.draw;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** A drawing as PNG (ISO/IEC 15948): pixels of an indexed palette, in light colours. */
final class PngWriter {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  private static final byte BITS = 8;
  private static final byte INDEXED = 3;

  private PngWriter() {}

  static byte[] write(Drawing drawing) {
    var raster = Raster.of(drawing);
    var png = new ByteArrayOutputStream();
    png.writeBytes(SIGNATURE);
    png.writeBytes(chunk("IHDR", ByteBuffer.allocate(13).putInt(raster.width()).putInt(raster.height()).put(BITS)
        .put(INDEXED).put(new byte[3]).array()));
    var palette = ByteBuffer.allocate(3 * raster.colours().size());
    raster.colours().forEach(rgb -> palette.put((byte) (rgb >> 16)).put((byte) (rgb >> 8)).put((byte) (int) rgb));
    png.writeBytes(chunk("PLTE", palette.array()));
    png.writeBytes(chunk("IDAT", compressed(lines(raster))));
    png.writeBytes(chunk("IEND", new byte[0]));
    return png.toByteArray();
  }

  /** The rows, each behind the number of its filter: none. */
  private static byte[] lines(Raster raster) {
    var lines = new byte[raster.height() * (raster.width() + 1)];
    for (int row = 0; row < raster.height(); row++) {
      System.arraycopy(raster.pixels(), row * raster.width(), lines, row * (raster.width() + 1) + 1, raster.width());
    }
    return lines;
  }

  private static byte[] compressed(byte[] bytes) {
    try (var deflater = new Deflater(Deflater.BEST_COMPRESSION)) {
      deflater.setInput(bytes);
      deflater.finish();
      var compressed = new ByteArrayOutputStream();
      var part = new byte[1 << 16];
      while (!deflater.finished()) compressed.write(part, 0, deflater.deflate(part));
      return compressed.toByteArray();
    }
  }

  private static byte[] chunk(String type, byte[] data) {
    var checked = ByteBuffer.allocate(4 + data.length).put(type.getBytes(StandardCharsets.US_ASCII)).put(data).array();
    var crc = new CRC32();
    crc.update(checked);
    return ByteBuffer.allocate(8 + checked.length).putInt(data.length).put(checked).putInt((int) crc.getValue()).array();
  }
}
