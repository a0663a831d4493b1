package tilewright.cli.tensor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;

/**
 * A {@code .npy} file, versions 1 to 3.
 *
 * @param data the elements in the file's order, little endian whatever the file's was
 */
public record NpyFile(NpyHeader header, MemorySegment data) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  static final int MAGIC_BYTES = MAGIC.length;

  /** The alignment of the data in bytes, enough for vector loads; NumPy writes it, older writers do not. */
  private static final long ALIGNMENT = 64;

  /** Far more than the header of a plain array takes; a longer one is damaged. */
  private static final long MAX_HEADER_BYTES = 1 << 20;

  /**
   * Maps a file into memory; its pages are read when they are used.
   *
   * @param arena how long the elements stay readable
   * @throws CommandFailure naming the file, what was found and what is needed
   */
  public static NpyFile read(Path file, Arena arena) {
    try (var channel = InputFile.open(file)) {
      return read(channel, arena);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badFile(file, e.getMessage().replaceAll("\\p{Cntrl}", "?"));
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be read: " + InputFile.reason(e));
    }
  }

  private static NpyFile read(FileChannel channel, Arena arena) throws IOException {
    var size = channel.size();
    var start = bytes(channel, 0, MAGIC_BYTES + 2, size);
    if (!Arrays.equals(Arrays.copyOf(start, MAGIC_BYTES), MAGIC)) {
      throw new IllegalArgumentException("is not a .npy file: it does not begin with \\x93NUMPY");
    }
    var version = start[MAGIC_BYTES];
    if (version < 1 || version > 3) {
      throw new IllegalArgumentException("is a .npy file of version " + version + "; needed is 1, 2 or 3");
    }
    var lengthBytes = version == 1 ? 2 : 4;
    var length = littleEndian(bytes(channel, start.length, lengthBytes, size));
    if (length > MAX_HEADER_BYTES) throw new IllegalArgumentException("its header claims " + length + " bytes");
    var textAt = start.length + lengthBytes;
    var charset = version == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    var header = NpyHeader.parse(new String(bytes(channel, textAt, (int) length, size), charset));

    var dataAt = textAt + length;
    var needed = header.dataBytes();
    if (size - dataAt < needed) {
      throw new IllegalArgumentException(
          "is truncated: its header promises %d bytes of data (%s of %d bytes each), it has %d".formatted(
              needed, header.extents(), header.type().bytes(), size - dataAt));
    }
    var data = needed == 0 ? MemorySegment.NULL : channel.map(MapMode.READ_ONLY, dataAt, needed, arena);
    return new NpyFile(header, usable(data, header.type(), arena));
  }

  private static byte[] bytes(FileChannel channel, long at, int count, long size) throws IOException {
    if (size - at < count) {
      throw new IllegalArgumentException("is truncated: it ends after " + size + " bytes, within its header");
    }
    var buffer = ByteBuffer.allocate(count);
    while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) >= 0) {}
    return buffer.array();
  }

  private static long littleEndian(byte[] bytes) {
    return bytes.length == 2
        ? Short.toUnsignedLong(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort())
        : Integer.toUnsignedLong(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt());
  }

  /** The data itself, or a copy where its bytes stand in the wrong order or at an address that elements cannot have. */
  private static MemorySegment usable(MemorySegment data, NpyType type, Arena arena) {
    var swapped = type.order() == ByteOrder.BIG_ENDIAN;
    if (!swapped && data.address() % ALIGNMENT == 0) return data;
    var result = arena.allocate(data.byteSize(), ALIGNMENT).copyFrom(data);
    if (swapped) reverseElements(result, type.bytes());
    return result;
  }

  private static void reverseElements(MemorySegment data, int elementBytes) {
    for (long at = 0; at < data.byteSize(); at += elementBytes) {
      for (int i = 0, j = elementBytes - 1; i < j; i++, j--) {
        var low = data.get(ValueLayout.JAVA_BYTE, at + i);
        data.set(ValueLayout.JAVA_BYTE, at + i, data.get(ValueLayout.JAVA_BYTE, at + j));
        data.set(ValueLayout.JAVA_BYTE, at + j, low);
      }
    }
  }

  /**
   * Writes the array so that the file is there whole or not at all.
   *
   * @throws CommandFailure naming the file and why it cannot be written
   */
  public void write(Path file) {
    AtomicFile.write(file, channel -> {
      AtomicFile.writeFully(channel, ByteBuffer.wrap(header.encode()));
      // A ByteBuffer addresses at most 2 GiB.
      for (long at = 0, step = 1 << 30; at < data.byteSize(); at += step) {
        AtomicFile.writeFully(channel, data.asSlice(at, Math.min(step, data.byteSize() - at)).asByteBuffer());
      }
    });
  }
}
