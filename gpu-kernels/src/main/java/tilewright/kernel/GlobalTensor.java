package tilewright.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;

/** A tensor in global memory, with extents and strides that the launch gives, seen from some origin. */
public final class GlobalTensor {
  /** Extents and coordinates stay below this, so that sums of them fit 32 bits. */
  public static final int MAX_EXTENT = 1 << 30;

  private final Scope k;
  private final TensorSpec spec;
  private final Node base;
  private final List<I32> extents;
  private final List<Optional<Node>> strides;
  private final List<I32> origin;
  private final Set<Integer> covered;
  private final Map<Integer, Integer> rungs;
  private final Optional<Interleaving> interleaving;

  /** Rows that count {@code count} coordinates of a mode {@code inner} for each one of {@code outer}. */
  private record Interleaving(int outer, int inner, int count, I32 begin) {}

  private GlobalTensor(Scope k, TensorSpec spec, Node base, List<I32> extents, List<Optional<Node>> strides,
      List<I32> origin, Set<Integer> covered, Map<Integer, Integer> rungs, Optional<Interleaving> interleaving) {
    this.k = k;
    this.spec = spec;
    this.base = base;
    this.extents = extents;
    this.strides = strides;
    this.origin = origin;
    this.covered = covered;
    this.rungs = rungs;
    this.interleaving = interleaving;
  }

  static GlobalTensor declare(Scope k, TensorSpec spec) {
    k.parameter(new KernelParameter.Pointer(spec));
    var generic = k.load(PtxType.U64, spec.name(), 0, 0, -1);
    var base = k.pure(PtxType.U64, k.root(), 0, 0, -1,
        new Node.Recipe("cvta.to.global.u64", List.of(new Node.Argument.Value(generic))));
    var extents = new ArrayList<I32>();
    var strides = new ArrayList<Optional<Node>>();
    for (int mode = 0; mode < spec.extents().size(); mode++) {
      extents.add(k.extent(spec, spec.extents().get(mode)));
      if (spec.isContiguous(mode)) {
        strides.add(Optional.empty());
      } else {
        var stride = new KernelParameter.Stride(spec, mode);
        k.parameter(stride);
        strides.add(spec.strides().containsKey(spec.extents().get(mode)) ? Optional.empty()
            : Optional.of(k.load(PtxType.S64, stride.name(), 0, 0, -1)));
      }
    }
    return new GlobalTensor(k, spec, base, extents, strides, Collections.nCopies(extents.size(), k.constant(0)),
        Set.of(), Map.of(), Optional.empty());
  }

  public TensorSpec spec() {
    return spec;
  }

  public int rank() {
    return extents.size();
  }

  /** The whole tensor's extent, whatever the origin. */
  public I32 extent(int mode) {
    return extents.get(mode);
  }

  /** The same tensor with coordinates counted from another origin: where a tile begins. */
  public GlobalTensor from(I32... coordinate) {
    if (interleaving.isPresent()) {
      var rows = interleaving.get();
      var others = coordinate.clone();
      others[rows.outer] = k.constant(0);
      var moved = new Interleaving(rows.outer, rows.inner, rows.count, rows.begin.plus(coordinate[rows.outer]));
      return new GlobalTensor(k, spec, base, extents, strides, sum(others), covered, rungs, Optional.of(moved));
    }
    return new GlobalTensor(k, spec, base, extents, strides, shifted(coordinate), covered, rungs, interleaving);
  }

  /** The part of a mode that begins there and has that extent; coordinates of the mode count from its begin. */
  public GlobalTensor part(int mode, I32 begin, I32 extent) {
    var extents = new ArrayList<>(this.extents);
    var origin = new ArrayList<>(this.origin);
    origin.set(mode, origin.get(mode).plus(begin));
    extents.set(mode, origin.get(mode).plus(extent));
    return new GlobalTensor(k, spec, base, extents, strides, origin, covered, rungs, interleaving);
  }

  /** The same tensor where the caller knows that it has every coordinate of the mode it is asked for. */
  public GlobalTensor covered(int mode) {
    var covered = new HashSet<>(this.covered);
    covered.add(mode);
    return new GlobalTensor(k, spec, base, extents, strides, origin, Set.copyOf(covered), rungs, interleaving);
  }

  /**
   * The same tensor, whose addresses of coordinates {@code step} apart in a mode are added up from each other instead
   * of being pointers of their own: fewer registers and more additions.
   */
  public GlobalTensor climbing(int mode, int step) {
    return new GlobalTensor(k, spec, base, extents, strides, origin, covered, Map.of(mode, step),
        interleaving);
  }

  /**
   * The same tensor where a coordinate of {@code mode} counts rows: {@code count} neighbours along {@code other} for
   * each coordinate that the mode had.
   */
  public GlobalTensor interleaved(int mode, int other, int count) {
    return new GlobalTensor(k, spec, base, extents, strides, origin, covered, rungs,
        Optional.of(new Interleaving(mode, other, count, k.constant(0))));
  }

  /** The tile of that shape at a position counted in tiles; modes behind the shape's are positions themselves. */
  public GlobalTensor tile(List<Integer> shape, I32... position) {
    var coordinate = position.clone();
    for (int mode = 0; mode < shape.size(); mode++) coordinate[mode] = position[mode].times(shape.get(mode));
    return from(coordinate);
  }

  /** The element at a coordinate relative to the origin. */
  public Element at(I32... coordinate) {
    var place = shifted(coordinate);
    var parts = new ArrayList<Pointers.Part>();
    for (int mode = 0; mode < rank(); mode++) {
      parts.add(new Pointers.Part(place.get(mode).value, strides.get(mode),
          spec.strides().getOrDefault(spec.extents().get(mode), 1L), rungs.getOrDefault(mode, 0)));
    }
    return new Element(k, spec.type(), StateSpace.GLOBAL,
        () -> Pointers.materialize(k, k.region(), base, parts, spec.type().bytes()), alignment(place),
            contains(coordinate), spec.eviction());
  }

  /** How many coordinates of a mode, at most so many, lie in the tensor from the origin on. */
  public I32 remaining(int mode, int most) {
    return extents.get(mode).minus(origin.get(mode)).min(most);
  }

  /** Whether a coordinate relative to the origin lies in the tensor. */
  public Pred contains(I32... coordinate) {
    var place = shifted(coordinate);
    var inside = Pred.known(k, true);
    for (int mode = 0; mode < rank(); mode++) inside = inside.and(contains(place, mode));
    return inside;
  }

  /** Whether the caller knows that all coordinates of the mode that are asked for are there. */
  public boolean covers(int mode) {
    return covered.contains(mode);
  }

  /** How many bytes of {@code count} elements from a coordinate on, along the contiguous mode, lie in the tensor. */
  public I32 availableBytes(int count, I32... coordinate) {
    var place = shifted(coordinate);
    int along = contiguousMode();
    var elements = covers(along) ? k.constant(count) : extents.get(along).minus(place.get(along)).max(0).min(count);
    var inside = Pred.known(k, true);
    for (int mode = 0; mode < rank(); mode++) {
      if (mode != along) inside = inside.and(contains(place, mode));
    }
    return elements.times(spec.type().bytes()).where(inside, 0);
  }

  private Pred contains(List<I32> place, int mode) {
    return covers(mode) ? Pred.known(k, true) : place.get(mode).lessThan(extents.get(mode));
  }

  /** Elements by which the address of a coordinate is known to be aligned. */
  private int alignment(List<I32> place) {
    if (spec.contiguous().isEmpty()) return 1;
    long ones = place.get(contiguousMode()).value.ones();
    long known = ones == 0 ? spec.alignment() : ones < 0 ? 1 : Long.lowestOneBit(ones);
    return (int) Math.min(spec.alignment(), known);
  }

  private int contiguousMode() {
    return spec.extents().indexOf(spec.contiguous().orElseThrow(
        () -> new TraceException("tensor " + spec.name()
            + " declares no contiguous mode, so it has no vector access")));
  }

  private List<I32> shifted(I32[] coordinate) {
    if (coordinate.length != rank()) {
      throw new TraceException("tensor " + spec.name() + spec.extents() + " takes " + rank() + " coordinates, got "
          + coordinate.length);
    }
    if (interleaving.isEmpty()) return sum(coordinate);
    var rows = interleaving.get();
    var row = rows.begin.plus(coordinate[rows.outer]);
    var apart = coordinate.clone();
    apart[rows.outer] = row.dividedBy(rows.count);
    apart[rows.inner] = coordinate[rows.inner].plus(row.modulo(rows.count));
    return sum(apart);
  }

  private List<I32> sum(I32[] coordinate) {
    var place = new ArrayList<I32>();
    for (int mode = 0; mode < coordinate.length; mode++) place.add(origin.get(mode).plus(coordinate[mode]));
    return place;
  }
}
