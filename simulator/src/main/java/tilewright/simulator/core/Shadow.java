package tilewright.simulator.core;

import java.util.Arrays;

/** For each 4-byte word of some memory: the last write, some of the reads since, and which bytes were ever written. */
final class Shadow {
  static final int WORD = 4;

  final int readers;
  final long[] write;
  final int[] writeSite;
  final long[] read;
  final int[] readSite;
  final byte[] initialised;

  /** @param readers how many reads are kept by word */
  Shadow(int words, int readers) {
    this.readers = readers;
    write = new long[words];
    writeSite = new int[words];
    read = new long[words * readers];
    readSite = new int[words * readers];
    initialised = new byte[words];
  }

  void clear() {
    Arrays.fill(write, 0);
    Arrays.fill(read, 0);
    Arrays.fill(initialised, (byte) 0);
  }

  /** The bytes of a word that an access of so many bytes at an offset touches. */
  static int touched(int offset, int bytes) {
    return bytes >= WORD ? 0xF : (1 << bytes) - 1 << (offset & 3);
  }
}
