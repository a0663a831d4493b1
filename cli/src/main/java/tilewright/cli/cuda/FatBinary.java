package tilewright.cli.cuda;

import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4NativeDecompressor;
import io.airlift.compress.v3.zstd.ZstdNativeDecompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The PTX texts and the cubins in an image that nvcc puts into a program. A header of 16 bytes (magic, version, size of
 * the header, size of the rest) is followed by entries, each with a header of its own.
 */
record FatBinary(List<Ptx> texts, List<Integer> cubins) {
  static final int MAGIC = 0xBA55ED50;
  static final int PTX = 1;
  static final int CUBIN = 2;
  static final long LZ4 = 0x2000;
  static final long ZSTD = 0x8000;
  private static final int HEADER_BYTES = 16;
  private static final int ENTRY_BYTES = 64;

  /** The text for one architecture, such as 90; not yet decompressed. */
  record Ptx(int architecture, byte[] payload, int textBytes, long flags) {
    /** @throws IllegalArgumentException if it cannot be decompressed */
    String text() {
      var bytes = textBytes == 0 ? payload : decompressed();
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] == 0) end--;
      return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    private byte[] decompressed() {
      Decompressor method;
      if ((flags & ZSTD) != 0) {
        method = new ZstdNativeDecompressor();
      } else if ((flags & LZ4) != 0) {
        method = new Lz4NativeDecompressor();
      } else {
        throw new IllegalArgumentException("the PTX is compressed in a way that is not known (flags 0x"
            + Long.toHexString(flags) + "): compile with -Xfatbin --compress-mode=none");
      }
      var text = new byte[textBytes];
      method.decompress(payload, 0, payload.length, text, 0, textBytes);
      return text;
    }
  }

  /** Whether the bytes begin as an image does; PTX text does not. */
  static boolean isOne(byte[] image) {
    return image.length >= HEADER_BYTES && little(image).getInt(0) == MAGIC;
  }

  /** @throws IllegalArgumentException if the image is cut off or of a version that is not known */
  static FatBinary read(byte[] image) {
    var in = little(image);
    int header = in.getShort(6);
    long end = header + in.getLong(8);
    if (header < HEADER_BYTES || end > image.length) {
      throw new IllegalArgumentException("a fat binary of " + image.length + " bytes claims to have " + end);
    }
    var texts = new ArrayList<Ptx>();
    var cubins = new ArrayList<Integer>();
    for (int at = header; at + ENTRY_BYTES <= end; ) {
      int headerBytes = in.getInt(at + 4);
      long padded = in.getLong(at + 8);
      int compressed = in.getInt(at + 16);
      if (headerBytes < ENTRY_BYTES || padded < compressed || padded < 0 || at + headerBytes + padded > end) {
        int number = texts.size() + cubins.size();
        throw new IllegalArgumentException("entry " + number + " of a fat binary has a header of " + headerBytes
            + " and contents of " + padded + " bytes, which do not fit");
      }
      int architecture = in.getInt(at + 28);
      long flags = in.getLong(at + 40);
      if (in.getShort(at) == PTX) {
        boolean isCompressed = (flags & (LZ4 | ZSTD)) != 0;
        var payload = new byte[isCompressed ? compressed : (int) padded];
        in.get(at + headerBytes, payload);
        texts.add(new Ptx(architecture, payload, isCompressed ? (int) in.getLong(at + 56) : 0, flags));
      } else if (in.getShort(at) == CUBIN) {
        cubins.add(architecture);
      }
      at += headerBytes + (int) padded;
    }
    return new FatBinary(List.copyOf(texts), List.copyOf(cubins));
  }

  /** The text for the newest architecture that a device of this one can run. */
  Optional<Ptx> best(int architecture) {
    return texts.stream().filter(t -> t.architecture <= architecture)
        .max(Comparator.comparingInt(Ptx::architecture));
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
