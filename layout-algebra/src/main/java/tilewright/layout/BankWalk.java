package tilewright.layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What shared memory makes of one access by a warp: 32 banks of four bytes each; one wavefront serves one word a bank,
 * any number of lanes reading the same word. Lanes that access 8 or 16 bytes go in halves or quarters of the warp.
 *
 * @param mode the mode that neighbouring lanes walk along; where it ends, they go on in the next ones
 * @param lanes fewer than 32 if the layout is smaller
 * @param wavefronts what the access takes
 * @param ideal what it would take without conflicts
 */
public record BankWalk(int mode, int lanes, int wavefronts, int ideal) {
  private static final int WARP = 32;
  private static final int BANKS = 32;
  private static final int WORD_BYTES = 4;

  /** @param accessBytes bytes a lane accesses from its element on: 1, 2, 4, 8 or 16 */
  public static BankWalk along(OffsetMap map, int mode, int elementBytes, int accessBytes) {
    var bytes = addresses(map, mode, elementBytes);
    var lanesAtATime = Math.min(WARP, BANKS * WORD_BYTES / accessBytes);
    var wavefronts = 0;
    var ideal = 0;
    for (var first = 0; first < bytes.size(); first += lanesAtATime) {
      var words = wordsByBank(bytes.subList(first, Math.min(bytes.size(), first + lanesAtATime)), accessBytes);
      wavefronts += words.values().stream().mapToInt(Set::size).max().orElse(0);
      ideal += Math.ceilDiv(words.values().stream().mapToInt(Set::size).sum(), BANKS);
    }
    return new BankWalk(mode, bytes.size(), wavefronts, ideal);
  }

  private static List<Long> addresses(OffsetMap map, int mode, int elementBytes) {
    var extents = map.shape().modes();
    var order = new ArrayList<Integer>();
    order.add(mode);
    for (var i = 0; i < extents.size(); i++) if (i != mode) order.add(i);
    var bytes = new ArrayList<Long>();
    for (long lane = 0; lane < Math.min(WARP, map.size()); lane++) {
      var coordinate = new long[extents.size()];
      var rest = lane;
      for (var i : order) {
        coordinate[i] = rest % extents.get(i).size();
        rest /= extents.get(i).size();
      }
      // An entry may index a nested mode as a whole.
      var place = map.shape() instanceof IntTuple.Leaf ? IntTuple.of(coordinate[0]) : IntTuple.flat(coordinate);
      bytes.add(Math.multiplyExact(map.apply(place), elementBytes));
    }
    return bytes;
  }

  private static Map<Long, Set<Long>> wordsByBank(List<Long> bytes, int accessBytes) {
    var words = new HashMap<Long, Set<Long>>();
    for (long first : bytes) {
      var last = Math.floorDiv(first + accessBytes - 1, WORD_BYTES);
      for (var word = Math.floorDiv(first, WORD_BYTES); word <= last; word++) {
        words.computeIfAbsent(Math.floorMod(word, (long) BANKS), _ -> new HashSet<>()).add(word);
      }
    }
    return words;
  }
}
