package tilewright.kernel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * The derivatives of a trace's FP32 values by one of them, in forward mode on the graph of nodes (Griewank and Walther,
 * Evaluating Derivatives, section 3.1): each node's derivative is the sum of those of its operands, times that of its
 * instruction by each. A derivative shares what the trace has computed, and is emitted where something uses it.
 *
 * <p>Comparisons have no derivative: {@link F32#where}, {@link F32#max}, {@link F32#min} and {@link F32#magnitude} have
 * that of the side they take. Memory, parameters and integers do not depend on the input. A function that saturates, as
 * 1/(1 + e^x) does for large x, has the derivative 0 there, though e^x overflows.
 */
public final class Derivative {
  private static final double LN_2 = Math.log(2);

  private final Scope k;
  private final Node input;
  private final Map<Node, Tangent> tangents = new IdentityHashMap<>();
  private final Map<Node, Optional<String>> obstacles = new IdentityHashMap<>();
  private Map<String, List<Instruction>> writers = Map.of();

  /** A derivative as the product of a factor that tracing knows and of a value, which may be the constant 1. */
  private record Tangent(double factor, F32 value) {}

  private Derivative(F32 input) {
    this.k = input.k;
    this.input = input.node;
  }

  /**
   * The derivative of a result by one of the values that it is computed from, all others fixed. Where tracing knows it,
   * it is a constant, see {@link F32#known}.
   *
   * @param input a value of its own, see {@link F32#settled}: equal expressions are one node, and the result depends on
   *     that wherever it occurs
   * @throws TraceException where the result depends on the input by way of an operation without a derivative
   */
  public static F32 of(F32 result, F32 input) {
    if (input.known().isPresent()) throw new TraceException("no derivative by a constant: it may occur elsewhere too");
    var derivative = new Derivative(input);
    return derivative.value(derivative.tangent(result.node));
  }

  private Tangent tangent(Node node) {
    if (node == input) return constant(1);
    // Operands come before what is computed from them.
    if (node.id < input.id) return constant(0);
    var known = tangents.get(node);
    if (known == null) tangents.put(node, known = ofInstruction(node));
    return known;
  }

  private Tangent ofInstruction(Node node) {
    if (node.recipe == null) return independent(node);
    var result = new F32(k, node);
    var name = node.recipe.name();
    var a = node.recipe.arguments().stream().map(Derivative::node).flatMap(Optional::stream).toList();
    return switch (name.contains(".f32") ? name.substring(0, name.indexOf('.')) : name) {
      case "add" -> plus(tangent(a.get(0)), tangent(a.get(1)));
      case "sub" -> plus(tangent(a.get(0)), times(tangent(a.get(1)), -1));
      case "mul" -> ofProduct(a.get(0), a.get(1));
      case "fma" -> plus(ofProduct(a.get(0), a.get(1)), tangent(a.get(2)));
      case "neg" -> times(tangent(a.get(0)), -1);
      case "abs" -> where(of(a.get(0)).lessThan(k.constant(0f)), times(tangent(a.get(0)), -1), tangent(a.get(0)));
      case "max" -> where(of(a.get(0)).greaterThan(of(a.get(1))), tangent(a.get(0)), tangent(a.get(1)));
      case "min" -> where(of(a.get(0)).lessThan(of(a.get(1))), tangent(a.get(0)), tangent(a.get(1)));
      case "selp" -> where(Pred.of(k, a.get(2)), tangent(a.get(0)), tangent(a.get(1)));
      case "div" -> ofQuotient(result, a.get(0), a.get(1));
      case "rcp" -> times(damped(times(tangent(a.get(0)), result), result), -1);
      case "sqrt" -> ofRoot(result, a.get(0));
      case "rsqrt" -> times(damped(times(times(tangent(a.get(0)), result), result), result), -0.5);
      case "ex2" -> times(damped(tangent(a.get(0)), result), LN_2);
      case "tanh" -> times(tangent(a.get(0)), result.negated().fma(result, k.constant(1f)));
      case "lg2" -> ofLogarithm(a.get(0));
      default -> independent(node);
    };
  }

  private Tangent ofProduct(Node a, Node b) {
    return plus(times(tangent(a), of(b)), times(tangent(b), of(a)));
  }

  private Tangent ofQuotient(F32 quotient, Node a, Node b) {
    var sum = plus(tangent(a), times(times(tangent(b), quotient), -1));
    if (sum.factor == 0) return sum;
    return of(b).known().map(divisor -> times(sum, 1.0 / divisor)).orElseGet(() -> damped(sum, of(b).reciprocal()));
  }

  private Tangent ofRoot(F32 root, Node a) {
    return tangent(a).factor == 0 ? constant(0) : times(damped(tangent(a), root.reciprocal()), 0.5);
  }

  private Tangent ofLogarithm(Node a) {
    return tangent(a).factor == 0 ? constant(0) : times(damped(tangent(a), of(a).reciprocal()), 1 / LN_2);
  }

  private F32 of(Node node) {
    return new F32(k, node);
  }

  private Tangent constant(double value) {
    return new Tangent(value, k.constant(1f));
  }

  private F32 value(Tangent t) {
    float factor = (float) t.factor;
    if (isOne(t.value)) return k.constant(factor);
    if (factor == 1) return t.value;
    return factor == -1 ? t.value.negated() : t.value.times(factor);
  }

  private static boolean isOne(F32 value) {
    return value.known().equals(Optional.of(1f));
  }

  private Tangent times(Tangent t, double factor) {
    return t.factor * factor == 0 ? constant(0) : new Tangent(t.factor * factor, t.value);
  }

  private Tangent times(Tangent t, F32 factor) {
    if (factor.known().isPresent()) return times(t, factor.known().get());
    if (t.factor == 0) return t;
    return new Tangent(t.factor, isOne(t.value) ? factor : t.value.times(factor));
  }

  /** The product, or 0 where the factor is 0: then it vanishes faster than the derivative has overflowed. */
  private Tangent damped(Tangent t, F32 factor) {
    var product = times(t, factor);
    return isOne(t.value) ? product : where(factor.notEqualTo(0), product, constant(0));
  }

  private Tangent plus(Tangent a, Tangent b) {
    if (a.factor == 0) return b;
    if (b.factor == 0) return a;
    if (a.value.node == b.value.node) return times(new Tangent(1, a.value), a.factor + b.factor);
    if (isOne(a.value)) return plus(b, a);
    if (a.factor == b.factor) return new Tangent(a.factor, a.value.plus(b.value));
    return new Tangent(1, a.value.fma(k.constant((float) a.factor), value(b)));
  }

  private Tangent where(Pred condition, Tangent yes, Tangent no) {
    if (yes.factor == no.factor && yes.value.node == no.value.node) return yes;
    if (no.factor == 0) return new Tangent(yes.factor, yes.value.where(condition, k.constant(0f)));
    if (yes.factor == 0) return new Tangent(no.factor, k.constant(0f).where(condition, no.value));
    if (yes.factor == no.factor) return new Tangent(yes.factor, yes.value.where(condition, no.value));
    return new Tangent(1, value(yes).where(condition, value(no)));
  }

  /** The derivative 0 of a node that does not depend on the input. */
  private Tangent independent(Node node) {
    obstacle(node).ifPresent(name -> {
      throw new TraceException("no derivative through " + name + ", on which the result depends: use operations of F32"
          + " that have one, from the input on, or give the derivative in closed form");
    });
    return constant(0);
  }

  /** The instruction by which a node depends on the input, if it does. */
  private Optional<String> obstacle(Node node) {
    if (node.id < input.id) return Optional.empty();
    var known = obstacles.get(node);
    if (known == null) obstacles.put(node, known = findObstacle(node));
    return known;
  }

  private Optional<String> findObstacle(Node node) {
    if (node == input) return Optional.of("its own value");
    if (node.recipe == null) return written(node.register(k));
    var byRegister = node.recipe.arguments().stream()
        .flatMap(argument -> argument instanceof Node.Argument.Constant c ? registers(c.operand()) : Stream.empty())
        .map(this::written).flatMap(Optional::stream);
    boolean byNode = nodes(node.recipe).anyMatch(n -> obstacle(n).isPresent());
    return byNode ? Optional.of(node.recipe.name()) : byRegister.findFirst();
  }

  /** The values an instruction computes from; what it compares only decides between them. */
  private static Stream<Node> nodes(Node.Recipe recipe) {
    return recipe.arguments().stream().flatMap(argument -> switch (argument) {
      case Node.Argument.Value v -> Stream.of(v.node());
      case Node.Argument.Sum s -> s.linear().terms().stream().map(Linear.Term::atom);
      case Node.Argument.Place p -> Stream.of(p.pointer());
      case Node.Argument.Constant _ -> Stream.empty();
    }).filter(node -> node.type != PtxType.PRED);
  }

  private static Optional<Node> node(Node.Argument argument) {
    return argument instanceof Node.Argument.Value v ? Optional.of(v.node()) : Optional.empty();
  }

  /** The instruction, not a mere move, that wrote a register with what comes from the input, if one did. */
  private Optional<String> written(Operand.Register register) {
    record Step(String by, String register) {}
    if (writers.isEmpty()) writers = writers();
    var source = input.register(k).name();
    var seen = new HashSet<String>();
    var open = new ArrayDeque<>(List.of(new Step("mov", register.name())));
    while (!open.isEmpty()) {
      var step = open.remove();
      if (step.register.equals(source)) return Optional.of(step.by);
      for (var writer : writers.getOrDefault(step.register, List.of())) {
        var by = step.by.startsWith("mov") ? writer.name() : step.by;
        writer.operands().stream().flatMap(Derivative::registers).map(Operand.Register::name).filter(seen::add)
            .forEach(read -> open.add(new Step(by, read)));
      }
    }
    return Optional.empty();
  }

  /** The instructions emitted so far, by the registers that are among their first operand. */
  private Map<String, List<Instruction>> writers() {
    var all = new HashMap<String, List<Instruction>>();
    for (var region = k.region(); region != null; region = region.parent) {
      for (var statement : region.body()) {
        if (statement instanceof Instruction i && !i.operands().isEmpty()
            && !(i.operands().getFirst() instanceof Operand.Address)) {
          registers(i.operands().getFirst()).forEach(r ->
              all.computeIfAbsent(r.name(), _ -> new ArrayList<>()).add(i));
        }
      }
    }
    return all;
  }

  private static Stream<Operand.Register> registers(Operand operand) {
    return switch (operand) {
      case Operand.Register r -> Stream.of(r);
      case Operand.Vector v -> v.elements().stream().flatMap(Derivative::registers);
      case Operand.Pair p -> Stream.of(p.first(), p.second()).flatMap(Derivative::registers);
      case Operand.Not n -> registers(n.operand());
      case Operand.Address a -> Stream.concat(Stream.of(a.base()), a.coordinates().stream())
          .flatMap(Derivative::registers);
      default -> Stream.empty();
    };
  }
}
