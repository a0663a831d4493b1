package tilewright.simulator.tensorcore;

import java.util.EnumMap;
import java.util.Map;

/** The words of all patterns of the types of eight bits. */
final class ByteWords {
  private static final Map<MmaType, int[]> TABLES = tables();

  private ByteWords() {}

  private static Map<MmaType, int[]> tables() {
    var tables = new EnumMap<MmaType, int[]>(MmaType.class);
    for (var type : MmaType.values()) {
      if (type.bits() != Byte.SIZE) continue;
      int[] words = new int[1 << Byte.SIZE];
      for (int bits = 0; bits < words.length; bits++) {
        words[bits] = type.isInteger() ? type.integer(bits, 0) : Factors.word(bits, type);
      }
      tables.put(type, words);
    }
    return tables;
  }

  static int[] of(MmaType type) {
    return TABLES.get(type);
  }
}
