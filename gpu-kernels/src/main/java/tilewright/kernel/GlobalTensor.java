package tilewright.kernel;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;

/** A tensor in global memory: a base pointer, and a layout whose extents and strides the launch gives. */
public final class GlobalTensor {
  /** Extents and coordinates stay below this, so that sums of them fit 32 bits. */
  public static final int MAX_EXTENT = 1 << 30;

  private final Scope k;
  private final TensorSpec spec;
  private final Node base;
  private final RuntimeLayout layout;
  private final Set<Integer> covered;
  private final Map<Integer, Pointers.Ladder> ladders;

  private GlobalTensor(Scope k, TensorSpec spec, Node base, RuntimeLayout layout, Set<Integer> covered,
      Map<Integer, Pointers.Ladder> ladders) {
    this.k = k;
    this.spec = spec;
    this.base = base;
    this.layout = layout;
    this.covered = covered;
    this.ladders = ladders;
  }

  static GlobalTensor declare(Scope k, TensorSpec spec) {
    k.parameter(new KernelParameter.Pointer(spec));
    var generic = k.load(PtxType.U64, spec.name(), 0, 0, -1);
    var base = k.pure(PtxType.U64, k.root(), 0, 0, -1,
        new Node.Recipe("cvta.to.global.u64", List.of(new Node.Argument.Value(generic))));
    var modes = IntStream.range(0, spec.modes().size()).mapToObj(mode ->
        new RuntimeLayout.Mode(k.extent(spec.modes().get(mode)), stride(k, spec, mode))).toList();
    return new GlobalTensor(k, spec, base, RuntimeLayout.of(k, modes), Set.of(), Map.of());
  }

  private static RuntimeLayout.Stride stride(Scope k, TensorSpec spec, int mode) {
    if (spec.isContiguous(mode)) return RuntimeLayout.Stride.of(1);
    var parameter = new KernelParameter.Stride(spec, mode);
    k.parameter(parameter);
    return spec.modes().get(mode).stride().map(RuntimeLayout.Stride::of)
        .orElseGet(() -> RuntimeLayout.Stride.of(k.load(PtxType.S64, parameter.name(), 0, 0, -1)));
  }

  private GlobalTensor with(RuntimeLayout other) {
    return new GlobalTensor(k, spec, base, other, covered, ladders);
  }

  public TensorSpec spec() {
    return spec;
  }

  public int rank() {
    return layout.rank();
  }

  /** The whole tensor's extent, whatever the origin. */
  public I32 extent(int mode) {
    return layout.extent(mode);
  }

  /** The tensor with coordinates that count from another origin: where a tile begins. */
  public GlobalTensor from(I32... coordinate) {
    return with(layout.from(ofRank(coordinate)));
  }

  /** The part of a mode that begins there and has that extent; coordinates of the mode count from its begin. */
  public GlobalTensor part(int mode, I32 begin, I32 extent) {
    return with(layout.slice(mode, begin, extent));
  }

  /** The tensor without bound checks in a mode, for callers that stay inside it. */
  public GlobalTensor covered(int mode) {
    var covered = new HashSet<>(this.covered);
    covered.add(mode);
    return new GlobalTensor(k, spec, base, layout, Set.copyOf(covered), ladders);
  }

  /** The tensor with addresses and bounds that are computed here, even where they are known much earlier. */
  public GlobalTensor settled() {
    return with(layout.settled(k));
  }

  /**
   * The tensor with addresses of coordinates {@code step} apart in a mode that are added up from each other, instead of
   * pointers of their own: fewer registers and more additions.
   */
  public GlobalTensor climbing(int mode, int step) {
    return climbing(mode, step, 1);
  }

  /** Like {@link #climbing(int, int)}, where each address has {@code width} coordinates beside each other. */
  public GlobalTensor climbing(int mode, int step, int width) {
    return new GlobalTensor(k, spec, base, layout, covered, Map.of(mode, new Pointers.Ladder(step, width)));
  }

  /**
   * The tensor whose {@code mode} counts rows: {@code count} neighbours along {@code other} for each coordinate that
   * the mode had.
   */
  public GlobalTensor interleaved(int mode, int other, int count) {
    return with(layout.split(mode, other, count));
  }

  /** The tile of that shape at a position counted in tiles; modes behind the shape's are positions themselves. */
  public GlobalTensor tile(List<Integer> shape, I32... position) {
    var coordinate = position.clone();
    for (int mode = 0; mode < Math.min(position.length, rank()); mode++) {
      k.tiled(position[mode], spec.extents().get(mode), mode < shape.size() ? shape.get(mode) : 1);
    }
    for (int mode = 0; mode < shape.size(); mode++) coordinate[mode] = position[mode].times(shape.get(mode));
    return from(coordinate);
  }

  /** The element at a coordinate relative to the origin. */
  public Element at(I32... coordinate) {
    var offset = layout.offset(ofRank(coordinate));
    return new Element(k, spec.type(), StateSpace.GLOBAL,
        () -> Pointers.materialize(k, k.region(), base, offset, ladders, spec.type().bytes()),
        alignment(layout.place(coordinate)), contains(coordinate), spec.eviction());
  }

  /**
   * The number at a coordinate of a tensor that nothing writes while the kernel runs. It is read once, where its
   * coordinate is first known: outside the loops that do not change it. The coordinate must lie in the tensor, even
   * where a branch hides that the number is used, unless {@link Scope#clamping} moves it there.
   *
   * @throws TraceException where the trace knows the extents, and the coordinate may lie outside them
   */
  public F32 constant(I32... coordinate) {
    var inside = inside(coordinate);
    return k.noted(this, inside, isOfPair(inside) ? ofPair(inside) : number(read(inside)));
  }

  /** Whether the thread reads a number's neighbour too, and both are in one access. */
  private boolean isOfPair(I32... inside) {
    if (spec.alignment() % 2 != 0 || k.isClamping() || !spec.isContiguous(rank() - 1)) return false;
    boolean hasType = switch (spec.type()) {
      case F32, F16, BF16 -> true;
      default -> false;
    };
    return hasType && k.neighbour().filter(n -> n.moves(inside[rank() - 1].value)).isPresent();
  }

  /** One half of the access that reads a number and its neighbour. */
  private F32 ofPair(I32... inside) {
    boolean odd = k.neighbour().orElseThrow().odd();
    var first = inside.clone();
    if (odd) first[rank() - 1] = first[rank() - 1].plus(-1);
    if (spec.type() == ElementType.F32) {
      var pair = read(PtxType.B64, first);
      var half = odd ? computed(PtxType.B64, "shr.b64", value(pair), Arithmetic.immediate(Float.SIZE)) : pair;
      return new F32(k, computed(PtxType.F32, "mov.b32", value(computed(PtxType.B32, "cvt.u32.u64", value(half)))));
    }
    var pair = read(PtxType.B32, first);
    if (spec.type() == ElementType.BF16) {
      var bits = odd ? computed(PtxType.B32, "and.b32", value(pair), Arithmetic.immediate(-1 << Short.SIZE))
          : computed(PtxType.B32, "shl.b32", value(pair), Arithmetic.immediate(Short.SIZE));
      return new F32(k, computed(PtxType.F32, "mov.b32", value(bits)));
    }
    var half = odd ? computed(PtxType.B32, "shr.u32", value(pair), Arithmetic.immediate(Short.SIZE)) : pair;
    return number(computed(PtxType.B16, "cvt.u16.u32", value(half)));
  }

  /**
   * A number that was read while the trace {@linkplain Scope#noting noted} reads.
   *
   * @param value of its own, so that there are derivatives by it
   */
  public record Read(TensorSpec tensor, List<I32> coordinate, F32 value) {
    /** Whether another read is of the same element. */
    public boolean isOf(Read other) {
      return tensor.equals(other.tensor) && coordinate.stream().map(c -> c.value).toList()
          .equals(other.coordinate.stream().map(c -> c.value).toList());
    }
  }

  private F32 number(Node stored) {
    return switch (spec.type()) {
      case F32 -> new F32(k, stored);
      case F16 -> new F32(k, computed(PtxType.F32, "cvt.f32.f16", value(stored)));
      case BF16 -> {
        var wide = computed(PtxType.B32, "cvt.u32.u16", value(stored));
        var bits = computed(PtxType.B32, "shl.b32", value(wide), Arithmetic.immediate(Short.SIZE));
        yield new F32(k, computed(PtxType.F32, "mov.b32", value(bits)));
      }
      case I8, I32 -> constantInteger(stored).toF32();
      default -> throw new TraceException("no constants of " + spec.type().text() + " in tensor " + spec.name()
          + ": f32, f16, bf16, i32 or i8");
    };
  }

  /** The integer at a coordinate, read as {@link #constant} reads numbers; of a tensor of i32 or i8. */
  public I32 constantInteger(I32... coordinate) {
    if (spec.type() != ElementType.I32 && spec.type() != ElementType.I8) {
      throw new TraceException("tensor " + spec.name() + " holds " + spec.type().text() + ", not integers: i32 or i8");
    }
    return constantInteger(read(inside(coordinate)));
  }

  private I32 constantInteger(Node stored) {
    return new I32(k, Linear.of(spec.type() == ElementType.I32 ? stored
        : k.pure(PtxType.B32, stored.home, Byte.MIN_VALUE, Byte.MAX_VALUE, -1,
            new Node.Recipe("cvt.s32.s8", List.of(value(stored))))));
  }

  private static Node.Argument value(Node node) {
    return new Node.Argument.Value(node);
  }

  private Node computed(PtxType type, String instruction, Node.Argument... arguments) {
    var home = ((Node.Argument.Value) arguments[0]).node().home;
    return k.pure(type, home, 0, 0, -1, new Node.Recipe(instruction, List.of(arguments)));
  }

  private I32[] inside(I32... coordinate) {
    var inside = ofRank(coordinate).clone();
    for (int mode = 0; mode < rank(); mode++) inside[mode] = inside(mode, coordinate[mode]);
    return inside;
  }

  private Node read(I32... inside) {
    return read(switch (spec.type().bits()) {
      case 32 -> spec.type() == ElementType.F32 ? PtxType.F32 : PtxType.B32;
      case 16 -> PtxType.B16;
      default -> PtxType.B8;
    }, inside);
  }

  private Node read(PtxType type, I32... inside) {
    var place = Pointers.place(k, k.region(), base, layout.offset(inside), ladders, spec.type().bytes());
    return k.pure(type, place.pointer().home, Integer.MIN_VALUE, Integer.MAX_VALUE, -1,
        new Node.Recipe("ld.global." + type.text(), List.of(place)));
  }

  /** The coordinate where it lies in the tensor; else perhaps the last one, see {@link Scope#clamping}. */
  private I32 inside(int mode, I32 coordinate) {
    var at = coordinate.value;
    var extent = layout.extent(mode);
    if (extent.value.isConstant()) {
      if (at.min() >= 0 && at.max() < extent.value.constant()) return coordinate;
      throw new TraceException("coordinate " + mode + " of tensor " + spec.name() + " may be from " + at.min() + " to "
          + at.max() + ", but its extent is " + extent.value.constant());
    }
    return k.isClamping() ? coordinate.orLast(extent) : coordinate;
  }

  /** How many coordinates of a mode, at most so many, lie in the tensor from the origin on. */
  public I32 remaining(int mode, int most) {
    return layout.extent(mode).minus(layout.origin().get(mode)).min(most);
  }

  /** Whether a coordinate relative to the origin lies in the tensor. */
  public Pred contains(I32... coordinate) {
    var place = layout.place(ofRank(coordinate));
    var inside = Pred.known(k, true);
    for (int mode = 0; mode < rank(); mode++) inside = inside.and(contains(place, mode));
    return inside;
  }

  /** Whether the caller knows that all coordinates of the mode that are asked for are there. */
  public boolean covers(int mode) {
    return covered.contains(mode);
  }

  /**
   * How many bytes of {@code count} elements from a coordinate on, along the contiguous mode, lie in the tensor. One
   * element needs no such mode.
   */
  public I32 availableBytes(int count, I32... coordinate) {
    if (count == 1) return k.constant(spec.type().bytes()).where(contains(coordinate), 0);
    var place = layout.place(ofRank(coordinate));
    int along = contiguousMode();
    var elements = covers(along) ? k.constant(count) : layout.extent(along).minus(place.get(along)).max(0).min(count);
    var inside = Pred.known(k, true);
    for (int mode = 0; mode < rank(); mode++) {
      if (mode != along) inside = inside.and(contains(place, mode));
    }
    return elements.times(spec.type().bytes()).where(inside, 0);
  }

  private Pred contains(List<I32> place, int mode) {
    return covers(mode) ? Pred.known(k, true) : place.get(mode).lessThan(layout.extent(mode));
  }

  /** Elements by which the address of a coordinate is known to be aligned. */
  private int alignment(List<I32> place) {
    if (spec.contiguous().isEmpty()) return 1;
    long divisor = place.get(contiguousMode()).value.divisor();
    return divisor == 0 ? spec.alignment() : (int) Math.min(spec.alignment(), divisor);
  }

  private int contiguousMode() {
    return spec.extents().indexOf(spec.contiguous().orElseThrow(
        () -> new TraceException("tensor " + spec.name()
            + " declares no contiguous mode, so it has no vector access")));
  }

  private I32[] ofRank(I32[] coordinate) {
    if (coordinate.length != rank()) {
      throw new TraceException("tensor " + spec.name() + spec.extents() + " takes " + rank() + " coordinates, got "
          + coordinate.length);
    }
    return coordinate;
  }
}
