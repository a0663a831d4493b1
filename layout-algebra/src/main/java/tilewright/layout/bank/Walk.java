package tilewright.layout.bank;

import java.util.List;
import tilewright.layout.OffsetMap;

/**
 * The coordinates at which accesses begin: every one, or along one mode every one of so many neighbours.
 *
 * @param contiguous the mode in which elements are neighbours
 * @param elements that one access covers
 */
record Walk(OffsetMap memory, int contiguous, long elements) {

  static Walk of(OffsetMap memory, int elementBytes, int accessBytes) {
    var elements = Math.max(1, accessBytes / ElementBytes.check(elementBytes));
    if (elements == 1) return new Walk(memory, 0, 1);
    var before = 1L;
    for (var mode = 0; mode < memory.rank(); mode++) {
      var extent = memory.shape().mode(mode).size();
      if (extent % elements == 0 && neighbours(memory, before, elements)) return new Walk(memory, mode, elements);
      before *= extent;
    }
    throw new IllegalArgumentException("no mode of " + memory + " has " + elements + " neighbouring elements of "
        + elementBytes + " bytes for an access of " + accessBytes + ": access fewer bytes");
  }

  private static boolean neighbours(OffsetMap memory, long step, long elements) {
    for (var i = 1L; i < elements; i++) if (memory.apply(i * step) != memory.apply(0) + i) return false;
    return true;
  }

  /** Accesses along a mode. */
  long extent(int mode) {
    return memory.shape().mode(mode).size() / (mode == contiguous ? elements : 1);
  }

  long steps() {
    return memory.size() / elements;
  }

  /** The index of an access, by its number when modes are walked in an order. */
  long index(List<Integer> order, long step) {
    var index = 0L;
    var rest = step;
    for (var mode : order) {
      var coordinate = rest % extent(mode) * (mode == contiguous ? elements : 1);
      rest /= extent(mode);
      var before = 1L;
      for (var i = 0; i < mode; i++) before *= memory.shape().mode(i).size();
      index += coordinate * before;
    }
    return index;
  }
}
