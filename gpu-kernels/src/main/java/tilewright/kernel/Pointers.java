package tilewright.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Global addresses: a base plus the offset that a {@link RuntimeLayout} gives, in bytes. Inside a loop, what moves with the loop's variable
 * becomes a pointer that the loop advances, so a main loop spends one addition on it.
 */
final class Pointers {
  private Pointers() {}

  /** {@code factor · sum · stride} bytes. */
  private record Product(Linear sum, Optional<Node> stride, long factor, int rung) {
    Product(Linear sum, Optional<Node> stride, long factor) {
      this(sum, stride, factor, 0);
    }

    boolean isLadder() {
      return rung > 0;
    }

    Region home(Scope k) {
      var home = sum.home(k.root());
      return stride.map(s -> Region.deeper(s.home, home)).orElse(home);
    }
  }

  /** Coordinates whose addresses are added up from each other: {@code width} neighbours every {@code step}. */
  record Ladder(int step, int width) {
    static final Ladder NONE = new Ladder(1, 0);

    /** The part of a coordinate that steps lead to, or 0 where it is not on the ladder. */
    long climbed(long coordinate) {
      long beside = Math.floorMod(coordinate, step);
      return coordinate > 0 && beside < width ? coordinate - beside : 0;
    }
  }

  private record PointerKey(Node base, List<Product> products) {}

  /**
   * The operand for an element's address.
   *
   * @param offset a sum of coordinates times strides; mode by mode
   * @param ladders by mode, where addresses are added up from each other
   */
  static Operand.Address materialize(Scope k, Region region, Node base, List<RuntimeLayout.Term> offset,
      Map<Integer, Ladder> ladders, int elementBytes) {
    var place = place(k, region, base, offset, ladders, elementBytes);
    return new Operand.Address(place.pointer().register(k), place.offset());
  }

  /** The place of {@link #materialize}, whose pointer is not computed yet. */
  static Node.Argument.Place place(Scope k, Region region, Node base, List<RuntimeLayout.Term> offset,
      Map<Integer, Ladder> ladders, int elementBytes) {
    long constant = 0;
    var bytes = Linear.of(0);
    var products = new ArrayList<Product>();
    for (int mode = 0; mode < offset.size(); mode++) {
      var coordinate = offset.get(mode).coordinate();
      var stride = offset.get(mode).stride();
      if (stride.value().isEmpty() && stride.constant() == 1) {
        bytes = bytes.plus(coordinate.times(elementBytes));
        continue;
      }
      var moving = coordinate.withoutConstant();
      if (stride.value().isEmpty()) {
        // A product of its own: its sum with the others might not fit 32 bits.
        long step = stride.constant() * elementBytes;
        constant += coordinate.constant() * step;
        if (!moving.isConstant()) products.add(new Product(moving, Optional.empty(), step));
        continue;
      }
      if (!moving.isConstant()) products.add(new Product(moving, stride.value(), elementBytes));
      var ladder = ladders.getOrDefault(mode, Ladder.NONE);
      long climbed = ladder.climbed(coordinate.constant());
      long beside = coordinate.constant() - climbed;
      if (beside != 0) products.add(new Product(Linear.of(1), stride.value(), beside * elementBytes));
      if (climbed != 0) products.add(new Product(Linear.of(climbed), stride.value(), elementBytes, ladder.step()));
    }
    constant += bytes.constant();
    if (!bytes.isConstant()) products.add(new Product(bytes.withoutConstant(), Optional.empty(), 1));
    return new Node.Argument.Place(pointer(k, region, base, products), constant);
  }

  private static Node pointer(Scope k, Region region, Node base, List<Product> products) {
    for (var at = region; at != null; at = at.parent) {
      if (at.loop) {
        var loop = at;
        var counter = products.stream().flatMap(p -> p.sum().terms().stream()).map(Linear.Term::atom)
            .filter(a -> k.values().induction(a).filter(i -> i.loop() == loop).isPresent()).findFirst();
        if (counter.isPresent()) return advancing(k, loop, counter.get(), base, products);
      }
    }
    return sum(k, base, products);
  }

  /** A pointer that the loop advances, plus what changes in the loop in other ways. */
  private static Node advancing(Scope k, Region loop, Node counter, Node base, List<Product> products) {
    var steady = new ArrayList<Product>();
    var moving = new ArrayList<Product>();
    var erratic = new ArrayList<Product>();
    for (var product : products) {
      if (product.isLadder()) {
        erratic.add(product);
        continue;
      }
      var inside = product.sum().where(t -> t.atom() != counter && t.atom().home.depth >= loop.depth);
      if (!inside.isConstant()) erratic.add(new Product(inside, product.stride(), product.factor()));
      var rest = product.sum().minus(inside);
      var step = rest.where(t -> t.atom() == counter);
      if (!step.isConstant()) moving.add(new Product(step, product.stride(), product.factor()));
      var still = rest.minus(step);
      if (!still.equals(Linear.of(0))) steady.add(new Product(still, product.stride(), product.factor()));
    }
    var all = new ArrayList<>(steady);
    all.addAll(moving);
    var pointer = loop.values().get(new PointerKey(base, all));
    if (pointer == null) {
      var induction = k.values().induction(counter).orElseThrow();
      var begin = new ArrayList<>(steady);
      var advance = new ArrayList<Product>();
      for (var product : moving) {
        long times = product.sum().terms().getFirst().factor();
        if (!induction.from().equals(Linear.of(0))) {
          begin.add(new Product(induction.from().times(times), product.stride(), product.factor()));
        }
        advance.add(new Product(Linear.of(1), product.stride(), product.factor() * times * induction.step()));
      }
      var register = k.newRegister(PtxType.U64);
      var first = pointer(k, loop.parent, base, begin);
      loop.parent.append(null, Instruction.of("mov.b64", register, first.register(k, loop.parent)));
      loop.increment(Instruction.of("add.s64", register, register, distance(k, loop, advance)));
      pointer = k.values().held(PtxType.U64, loop, 0, 0, -1, register);
      loop.values().put(new PointerKey(base, all), pointer);
    }
    return sum(k, pointer, erratic);
  }

  private static Operand distance(Scope k, Region loop, List<Product> advance) {
    long constant = advance.stream().filter(p -> p.stride().isEmpty()).mapToLong(Product::factor).sum();
    var strided = advance.stream().filter(p -> p.stride().isPresent()).toList();
    if (strided.isEmpty()) return new Operand.Integer(constant);
    Node sum = scaled(k, strided.getFirst().stride().get(), strided.getFirst().factor());
    for (var product : strided.subList(1, strided.size())) {
      sum = wide(k, "add.s64", sum.home, value(sum), value(scaled(k, product.stride().get(), product.factor())));
    }
    if (constant != 0) sum = wide(k, "add.s64", sum.home, value(sum), Arithmetic.immediate(constant));
    return sum.register(k, loop);
  }

  /**
   * Adds products to a pointer, outermost first and constant multiples last, so that neighbours share the beginning;
   * rungs behind all others, or a loop would have a pointer of each alive.
   */
  private static Node sum(Scope k, Node base, List<Product> products) {
    var ordered = products.stream().sorted(Comparator.comparing(Product::isLadder).thenComparing(p -> p.home(k).depth)
        .thenComparing(p -> p.sum().isConstant())).toList();
    var sum = base;
    for (var product : ordered) {
      var home = Region.deeper(sum.home, product.home(k));
      if (product.stride().isEmpty()) {
        for (var group : groups(k, product)) sum = addBytes(k, sum, group);
      } else if (product.isLadder()) {
        var rung = scaled(k, product.stride().get(), product.factor() * product.rung());
        for (long at = 0; at < product.sum().constant(); at += product.rung()) {
          sum = wide(k, "add.s64", home, value(sum), value(rung));
        }
      } else if (product.sum().isConstant()) {
        var offset = scaled(k, product.stride().get(), product.factor() * product.sum().constant());
        sum = wide(k, "add.s64", home, value(sum), value(offset));
      } else {
        var index = wide(k, "cvt.s64.s32", product.sum().home(k.root()), new Node.Argument.Sum(product.sum()));
        var stride = scaled(k, product.stride().get(), product.factor());
        sum = wide(k, "mad.lo.s64", home, value(index), value(stride), value(sum));
      }
    }
    return sum;
  }

  /** The parts of a byte sum by the region that they live in. */
  private static List<Linear> groups(Scope k, Product product) {
    var scaled = product.sum().times(product.factor());
    var depths = scaled.terms().stream().map(t -> t.atom().home.depth).distinct().sorted().toList();
    var groups = new ArrayList<Linear>();
    for (int depth : depths) groups.add(scaled.where(t -> t.atom().home.depth == depth));
    if (scaled.constant() != 0) groups.add(Linear.of(scaled.constant()));
    return groups;
  }

  private static Node addBytes(Scope k, Node sum, Linear bytes) {
    if (bytes.isConstant()) return wide(k, "add.s64", sum.home, value(sum), Arithmetic.immediate(bytes.constant()));
    long unit = bytes.terms().stream().mapToLong(t -> Math.abs(t.factor())).reduce(0, Pointers::gcd);
    var index = new Linear(0, bytes.terms().stream().map(t -> new Linear.Term(t.atom(), t.factor() / unit)).toList());
    var home = Region.deeper(sum.home, index.home(k.root()));
    return wide(k, "mad.wide.s32", home, new Node.Argument.Value(k.values().sum(index)), Arithmetic.immediate(unit), value(sum));
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static Node scaled(Scope k, Node stride, long factor) {
    if (factor == 1) return stride;
    return Bits.isPowerOfTwo(factor)
        ? wide(k, "shl.b64", stride.home, value(stride), Arithmetic.immediate(Bits.log2(factor)))
        : wide(k, "mul.lo.s64", stride.home, value(stride), Arithmetic.immediate(factor));
  }

  private static Node.Argument value(Node node) {
    return new Node.Argument.Value(node);
  }

  private static Node wide(Scope k, String instruction, Region home, Node.Argument... arguments) {
    return k.pure(PtxType.S64, home, 0, 0, -1, new Node.Recipe(instruction, List.of(arguments)));
  }
}
