package tilewright.cli.tensor;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Bytes of {@code .npy} files as NumPy's format description spells them, made without the code under test. */
public final class Npy {
  private Npy() {}

  public static byte[] file(int version, String header, byte[] data) {
    var text = header.getBytes(StandardCharsets.UTF_8);
    var out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
    var length = ByteBuffer.allocate(version == 1 ? 2 : 4).order(ByteOrder.LITTLE_ENDIAN);
    out.writeBytes((version == 1 ? length.putShort((short) text.length) : length.putInt(text.length)).array());
    out.writeBytes(text);
    out.writeBytes(data);
    return out.toByteArray();
  }

  public static String header(String descr, boolean fortranOrder, String shape) {
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n".formatted(
        descr, fortranOrder ? "True" : "False", shape);
  }

  /** A file of normally distributed halves. */
  public static byte[] normalHalves(int rows, int columns, long seed) {
    var random = new Random(seed);
    var bytes = ByteBuffer.allocate(2 * rows * columns).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) bytes.putShort(Float.floatToFloat16((float) random.nextGaussian()));
    return file(1, header("<f2", false, "(" + rows + ", " + columns + ")"), bytes.array());
  }

  static byte[] floats(ByteOrder order, float... values) {
    var bytes = ByteBuffer.allocate(4 * values.length).order(order);
    for (var value : values) bytes.putFloat(value);
    return bytes.array();
  }

  public static byte[] floats(float... values) {
    return floats(ByteOrder.LITTLE_ENDIAN, values);
  }
}
