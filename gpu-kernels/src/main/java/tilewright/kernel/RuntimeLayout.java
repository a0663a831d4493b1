package tilewright.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.PtxType;

/**
 * A layout whose extents and strides the launch gives, seen from an origin: the offset of a coordinate is
 * Σ (origin + coordinate) · stride. Tiles, slices and packed heads are layouts of this kind again: a tile has another
 * origin (CuTe's {@code domain_offset}), a slice another extent too, and packed heads are a composition.
 *
 * @param origin the coordinate of the modes that coordinate 0 stands for
 * @param split the coordinate layout that one mode is composed with, if it is
 */
record RuntimeLayout(List<Mode> modes, List<I32> origin, Optional<Split> split) {

  /** An extent and its stride. */
  record Mode(I32 extent, Stride stride) {}

  /** A stride in elements: a value that the launch gives, or a constant. */
  record Stride(Optional<Node> value, long constant) {
    static Stride of(Node value) {
      return new Stride(Optional.of(value), 0);
    }

    static Stride of(long constant) {
      return new Stride(Optional.empty(), constant);
    }

    Stride settled(Scope k) {
      return new Stride(value.map(v -> k.values().held(PtxType.S64, k.region(), 0, 0, -1, v.register(k))), constant);
    }
  }

  /** A term of an offset: {@code coordinate} times {@code stride}. */
  record Term(Linear coordinate, Stride stride) {}

  /** The coordinate layout (count, …):(1@inner, 1@outer) of mode {@code outer}, from {@code begin} on. */
  record Split(int outer, int inner, int count, I32 begin) {}

  /** The layout of a whole tensor. */
  static RuntimeLayout of(Scope k, List<Mode> modes) {
    return new RuntimeLayout(List.copyOf(modes), Collections.nCopies(modes.size(), k.constant(0)), Optional.empty());
  }

  int rank() {
    return modes.size();
  }

  /** The extent of a mode, whatever the origin. */
  I32 extent(int mode) {
    return modes.get(mode).extent;
  }

  /** The layout with origin, extents and strides in registers of their own: what depends on them is computed here. */
  RuntimeLayout settled(Scope k) {
    var settled = modes.stream().map(mode -> new Mode(mode.extent.settled(), mode.stride.settled(k))).toList();
    return new RuntimeLayout(settled, origin.stream().map(I32::settled).toList(), split);
  }

  /** The layout with coordinates that count from another one. */
  RuntimeLayout from(I32... coordinate) {
    if (split.isEmpty()) return new RuntimeLayout(modes, sum(coordinate), split);
    var s = split.get();
    var others = coordinate.clone();
    others[s.outer] = s.begin.constant(0);
    var moved = new Split(s.outer, s.inner, s.count, s.begin.plus(coordinate[s.outer]));
    return new RuntimeLayout(modes, sum(others), Optional.of(moved));
  }

  /** The slice of a mode that begins there and has that extent; its coordinates count from the slice's begin. */
  RuntimeLayout slice(int mode, I32 begin, I32 extent) {
    var modes = new ArrayList<>(this.modes);
    var origin = new ArrayList<>(this.origin);
    origin.set(mode, origin.get(mode).plus(begin));
    modes.set(mode, new Mode(origin.get(mode).plus(extent), modes.get(mode).stride));
    return new RuntimeLayout(List.copyOf(modes), origin, split);
  }

  /**
   * The composition with (count, …):(1@inner, 1@outer) in mode {@code outer}: its coordinate r stands for coordinate
   * r mod {@code count} of mode {@code inner}, added to the one given there, and r div {@code count} of its own.
   */
  RuntimeLayout split(int outer, int inner, int count) {
    return new RuntimeLayout(modes, origin,
        Optional.of(new Split(outer, inner, count, origin.getFirst().constant(0))));
  }

  /** The offset of a coordinate in elements, as a sum. */
  List<Term> offset(I32... coordinate) {
    var place = place(coordinate);
    var terms = new ArrayList<Term>();
    for (int mode = 0; mode < rank(); mode++) terms.add(new Term(place.get(mode).value, modes.get(mode).stride));
    return terms;
  }

  /** The coordinate of the whole tensor's modes. */
  List<I32> place(I32... coordinate) {
    if (split.isEmpty()) return sum(coordinate);
    var s = split.get();
    var row = s.begin.plus(coordinate[s.outer]);
    var apart = coordinate.clone();
    apart[s.outer] = row.dividedBy(s.count);
    apart[s.inner] = coordinate[s.inner].plus(row.modulo(s.count));
    return sum(apart);
  }

  private List<I32> sum(I32[] coordinate) {
    var place = new ArrayList<I32>();
    for (int mode = 0; mode < coordinate.length; mode++) place.add(origin.get(mode).plus(coordinate[mode]));
    return place;
  }
}
