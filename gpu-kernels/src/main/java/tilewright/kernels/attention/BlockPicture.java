package tilewright.kernels.attention;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.IntStream;

/** The picture of a mask in blocks: a line for each tile of queries, a character for each block of keys. */
public final class BlockPicture {
  private static final char HIDDEN = '·';
  private static final char PARTIAL = '▒';
  private static final char FULL = '█';

  private BlockPicture() {}

  /**
   * Draws the lists of a head of a batch entry: █ where all of a block is seen, ▒ where some is, · where none is.
   *
   * @param buffers that {@link BlockMask#prepare} has filled
   */
  public static String of(BlockMask mask, Map<String, MemorySegment> buffers, int batch, int head) {
    var picture = new StringJoiner("\n");
    for (int tile = 0; tile < mask.tiles(); tile++) {
      long place = tile + mask.tiles() * (head + (long) mask.problem().sizes().heads() * batch);
      var line = new StringBuilder();
      IntStream.range(0, Math.toIntExact(mask.blocks())).forEach(_ -> line.append(HIDDEN));
      draw(line, buffers, "partialBlocks", place, mask.blocks(), 0, PARTIAL);
      draw(line, buffers, "fullBlocks", place, mask.blocks(), 1, FULL);
      picture.add(line);
    }
    return picture.toString();
  }

  private static void draw(StringBuilder line, Map<String, MemorySegment> buffers, String list, long place, long blocks,
      int kind, char character) {
    int count = integer(buffers.get("blockCounts"), 2 * place + kind);
    for (int i = 0; i < count; i++) line.setCharAt(integer(buffers.get(list), blocks * place + i), character);
  }

  private static int integer(MemorySegment buffer, long index) {
    return buffer.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
  }
}
