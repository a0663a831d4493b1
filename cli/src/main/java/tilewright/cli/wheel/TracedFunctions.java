package tilewright.cli.wheel;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Functions of scores as Python traces them: {@code {"score": number, "mask": predicate, "tensors": [[type, rank], …],
 * "blocks": [queries, keys]}}. Expressions are lists of an operation and its operands, made by {@code _functions.py}.
 *
 * <ul>
 * <li>integers: {@code b h q k}, a constant, a parameter {@code i0}, {@code ["read", tensor, index, …]},
 *     {@code + * // % min max where}, {@code ["below", integer, count]}, which is count − 1 for what is not below it
 * <li>numbers: {@code s}, a constant, a parameter {@code f0}, {@code ["read", …]}, {@code ["float", integer]},
 *     {@code + * / neg abs exp exp2 log tanh sqrt min max where}
 * <li>predicates: {@code true}, {@code ["<=" | "==", integer, integer]}, {@code ["<", number, number]}, {@code & | !}
 * </ul>
 *
 * @param score none where scores stay as they are
 * @param mask none where there are no lists of blocks; true where blocks are listed and nothing else is hidden
 * @param tensors what the functions read, named {@code t0}, {@code t1}, …
 * @param blocks queries and keys of a listed block
 * @param integers the number of the integers that the launch gives; {@code numbers} likewise
 */
record TracedFunctions(String name, Optional<ScoreMod> score, Optional<MaskMod> mask, List<CapturedTensor> tensors,
    Optional<Blocks> blocks, int integers, int numbers) {
  /** The file with the functions that are always in the package, beside this class and in it. */
  static final String FILE = "functions.json";
  static final List<TracedFunctions> READY_MADE = readyMade();
  private static final float LOG2_E = 1.44269504f;

  /** The extents of listed blocks. */
  record Blocks(int queries, int keys) {}

  /**
   * Reads a form.
   *
   * @throws IllegalArgumentException naming what is not known
   */
  static TracedFunctions of(String name, JsonNode form) {
    var tensors = IntStream.range(0, form.path("tensors").size()).mapToObj(i -> {
      var tensor = form.path("tensors").get(i);
      return CapturedTensor.of("t" + i, type(tensor.path(0).asString("")), tensor.path(1).asInt(0));
    }).toList();
    var blocks = form.hasNonNull("blocks") ? Optional.of(new Blocks(form.path("blocks").path(0).asInt(0),
        form.path("blocks").path(1).asInt(0))) : Optional.<Blocks>empty();
    var score = form.hasNonNull("score") ? Optional.<ScoreMod>of((s, b, h, q, k) ->
        new Trace(tensors, Optional.of(s), b, h, q, k).number(form.get("score"))) : Optional.<ScoreMod>empty();
    var masked = form.path("mask");
    var mask = masked.isArray() ? Optional.<MaskMod>of((b, h, q, k) ->
        new Trace(tensors, Optional.empty(), b, h, q, k).predicate(masked)) : Optional.<MaskMod>empty();
    return new TracedFunctions(name, score, mask, tensors, blocks, parameters(form, "i"), parameters(form, "f"));
  }

  private static ElementType type(String text) {
    return Stream.of(ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.I32, ElementType.I8)
        .filter(type -> type.text().equals(text)).findFirst().orElseThrow(() ->
            new IllegalArgumentException("a function reads a tensor of " + text + ": f32, f16, bf16, i32 or i8"));
  }

  /** The number of parameters whose names begin so. */
  private static int parameters(JsonNode node, String begin) {
    if (node.isContainer()) return node.valueStream().mapToInt(child -> parameters(child, begin)).max().orElse(0);
    var text = node.asString("");
    return text.matches(begin + "[0-9]+") ? Integer.parseInt(text.substring(1)) + 1 : 0;
  }

  /** The functions for one score. */
  private record Trace(List<CapturedTensor> tensors, Optional<F32> score, I32 b, I32 h, I32 q, I32 k) {
    I32 integer(JsonNode node) {
      if (node.isIntegralNumber()) return q.constant(node.asInt());
      if (node.isString()) {
        return switch (node.asString()) {
          case "b" -> b;
          case "h" -> h;
          case "q" -> q;
          case "k" -> k;
          default -> q.parameter(node.asString());
        };
      }
      return switch (operation(node)) {
        case "read" -> tensor(node).integerAt(indices(node));
        case "+" -> fold(node, I32::plus);
        case "*" -> fold(node, I32::times);
        case "//" -> integer(node.get(1)).dividedBy(node.get(2).asInt());
        case "%" -> integer(node.get(1)).modulo(node.get(2).asInt());
        case "min" -> fold(node, I32::min);
        case "max" -> fold(node, I32::max);
        case "below" -> integer(node.get(1)).orLast(integer(node.get(2)));
        case "where" -> integer(node.get(2)).where(predicate(node.get(1)), integer(node.get(3)));
        default -> throw unknown("integers", node);
      };
    }

    private I32 fold(JsonNode node, BinaryOperator<I32> operator) {
      return node.valueStream().skip(1).map(this::integer).reduce(operator).orElseThrow();
    }

    F32 number(JsonNode node) {
      if (node.isNumber()) return constant(node.floatValue());
      if (node.isString()) {
        return switch (node.asString()) {
          case "s" -> score.orElseThrow(() -> new IllegalArgumentException("a mask is no function of the score"));
          case "-inf" -> constant(Float.NEGATIVE_INFINITY);
          default -> constant(0).parameter(node.asString());
        };
      }
      return switch (operation(node)) {
        case "read" -> tensor(node).at(indices(node));
        case "float" -> integer(node.get(1)).toF32();
        case "+" -> sum(node);
        case "*" -> node.valueStream().skip(1).map(this::number).reduce(F32::times).orElseThrow();
        case "/" -> number(node.get(1)).dividedBy(number(node.get(2)));
        case "neg" -> number(node.get(1)).negated();
        case "abs" -> number(node.get(1)).magnitude();
        case "exp" -> number(node.get(1)).exp();
        case "exp2" -> number(node.get(1)).exp2();
        case "log" -> number(node.get(1)).log2().times(1 / LOG2_E);
        // 1 − 2/(1 + e^2x), which the special function units' tanh is not as exact as.
        case "tanh" -> number(node.get(1)).times(2).exp().plus(1).reciprocal().fma(-2, 1);
        case "sqrt" -> number(node.get(1)).root();
        case "min" -> node.valueStream().skip(1).map(this::number).reduce(F32::min).orElseThrow();
        case "max" -> node.valueStream().skip(1).map(this::number).reduce(F32::max).orElseThrow();
        case "where" -> number(node.get(2)).where(predicate(node.get(1)), number(node.get(3)));
        default -> throw unknown("numbers", node);
      };
    }

    /** The sum, with products added as they are computed. */
    private F32 sum(JsonNode node) {
      var sum = number(node.get(1));
      for (int i = 2; i < node.size(); i++) {
        var operand = node.get(i);
        boolean product = operand.isArray() && operation(operand).equals("*") && operand.size() == 3;
        sum = product ? number(operand.get(1)).fma(number(operand.get(2)), sum) : sum.plus(number(operand));
      }
      return sum;
    }

    Pred predicate(JsonNode node) {
      return switch (operation(node)) {
        case "<=" -> integer(node.get(1)).lessThan(integer(node.get(2)).plus(1));
        case "==" -> integer(node.get(1)).equalTo(integer(node.get(2)));
        case "<" -> number(node.get(1)).lessThan(number(node.get(2)));
        case "&" -> node.valueStream().skip(1).map(this::predicate).reduce(Pred::and).orElseThrow();
        case "|" -> node.valueStream().skip(1).map(this::predicate).reduce(Pred::or).orElseThrow();
        case "!" -> predicate(node.get(1)).not();
        default -> throw unknown("predicates", node);
      };
    }

    private F32 constant(float value) {
      return score.map(s -> s.constant(value)).orElseGet(() -> q.constant(0).toF32().constant(value));
    }

    private CapturedTensor tensor(JsonNode node) {
      return tensors.get(Integer.parseInt(node.get(1).asString().substring(1)));
    }

    private I32[] indices(JsonNode node) {
      return node.valueStream().skip(2).map(this::integer).toArray(I32[]::new);
    }

    private static String operation(JsonNode node) {
      return node.path(0).asString("");
    }

    private static IllegalArgumentException unknown(String what, JsonNode node) {
      return new IllegalArgumentException("no operation on " + what + " is " + node);
    }
  }

  private static List<TracedFunctions> readyMade() {
    try (var file = TracedFunctions.class.getResourceAsStream("python/" + FILE)) {
      return all(JsonMapper.shared().readTree(file.readAllBytes()));
    } catch (IOException e) {
      throw new IllegalStateException("the functions are part of this program", e);
    }
  }

  /** The forms of a file by name. */
  static List<TracedFunctions> all(JsonNode forms) {
    return forms.propertyStream().map(form -> of(form.getKey(), form.getValue())).toList();
  }

  /**
   * Traces the functions by themselves.
   *
   * @param gradients whether scores need a derivative
   * @throws IllegalArgumentException naming what a kernel does not have
   */
  void require(boolean gradients) {
    try {
      Scope.trial(Target.SM80, k -> {
        var input = k.result(k.newRegister(PtxType.F32));
        var b = index(k);
        var h = index(k);
        var q = index(k);
        var key = index(k);
        mask.ifPresent(mod -> mod.apply(b, h, q, key));
        return score.map(mod -> gradients ? mod.sloped(input, b, h, q, key).value() : mod.apply(input, b, h, q, key));
      });
    } catch (TraceException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static I32 index(Scope k) {
    return k.result(k.newRegister(PtxType.B32), 0, GlobalTensor.MAX_EXTENT - 1L);
  }

  /** Whether blocks are listed. */
  boolean listed() {
    return blocks.isPresent();
  }
}
