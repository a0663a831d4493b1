package tilewright.kernel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/**
 * One value of a trace. A pure node is emitted when something first needs it, into the outermost region in which its
 * operands exist: that alone is common-subexpression elimination, dead-code elimination and loop-invariant motion.
 */
final class Node {
  final int id;
  final PtxType type;
  final Region home;
  /** Bounds of an integer value; the whole range when nothing is known. */
  final long min;
  final long max;
  /** Bits that may be one; -1 when nothing is known. */
  final long ones;
  final Recipe recipe;
  private final Statement.Location line;
  private Operand.Register register;
  private Boolean ofLaunch;

  /** How a pure node is computed: an instruction whose first operand is the node's own register. */
  record Recipe(String name, List<Argument> arguments) {}

  /** An operand that is made only when the node is emitted. */
  sealed interface Argument {
    record Value(Node node) implements Argument {}

    record Sum(Linear linear) implements Argument {}

    record Constant(Operand operand) implements Argument {}

    /** A place in memory: bytes behind a pointer. */
    record Place(Node pointer, long offset) implements Argument {}
  }

  Node(int id, PtxType type, Region home, long min, long max, long ones, Recipe recipe, Operand.Register register,
      Statement.Location line) {
    this.id = id;
    this.type = type;
    this.home = home;
    this.min = min;
    this.max = max;
    this.ones = min < 0 ? -1 : ones & Bits.upTo(max);
    this.recipe = recipe;
    this.register = register;
    this.line = line;
  }

  /** The values that this one is computed from. */
  private Stream<Node> operands() {
    if (recipe == null) return Stream.empty();
    return recipe.arguments().stream().flatMap(argument -> switch (argument) {
      case Argument.Value v -> Stream.of(v.node);
      case Argument.Sum s -> s.linear.terms().stream().map(Linear.Term::atom);
      case Argument.Place p -> Stream.of(p.pointer);
      case Argument.Constant _ -> Stream.empty();
    });
  }

  boolean dependsOn(Collection<Node> nodes) {
    return nodes.contains(this) || operands().anyMatch(operand -> operand.dependsOn(nodes));
  }

  /** Whether no FP32 number that an instruction has left in a register is among the values it is computed from. */
  boolean isOfIntegers() {
    return !(recipe == null && type == PtxType.F32) && operands().allMatch(Node::isOfIntegers);
  }

  /** Whether the launch's arguments alone decide the value, which then is the same for all threads. */
  private boolean isOfLaunch() {
    if (ofLaunch == null) {
      ofLaunch = recipe != null && recipe.arguments().stream()
          .noneMatch(argument -> argument instanceof Argument.Constant(Operand.Special _))
          && operands().allMatch(Node::isOfLaunch);
    }
    return ofLaunch;
  }

  /** The register that holds the value in the present region, computing it first if nothing has yet. */
  Operand.Register register(Scope k) {
    return register(k, k.region());
  }

  /** The register that holds the value in a region, computing it first if nothing has yet. */
  Operand.Register register(Scope k, Region region) {
    k.values().requireLive(this);
    if (home == k.root() && region.anew().isPresent() && isOfLaunch()) {
      var anew = region.anew().get();
      var copy = anew.copies().get(this);
      if (copy == null) anew.copies().put(this, copy = computed(k, anew));
      return copy;
    }
    if (register == null) register = computed(k, home);
    return register;
  }

  private Operand.Register computed(Scope k, Region region) {
    var operands = new ArrayList<Operand>();
    var destination = k.newRegister(type);
    operands.add(destination);
    for (var argument : recipe.arguments()) {
      operands.add(switch (argument) {
        case Argument.Value v -> v.node().register(k, region);
        case Argument.Sum s -> k.materialize(s.linear(), region);
        case Argument.Constant c -> c.operand();
        case Argument.Place p -> new Operand.Address(p.pointer().register(k, region), p.offset());
      });
    }
    region.append(line, Instruction.of(recipe.name(), operands));
    return destination;
  }
}
