package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;

/** Whatever the text, there is a value that can be read back, or an error with a column; never anything else. */
class ExpressionFuzzTest {
  /** Far above what any expression takes; a test that meets it hangs. */
  private static final Duration HANG = Duration.ofSeconds(120);
  private static final int BATCH = 1000;

  @Test
  void aFixedSampleHasValuesOrErrorsWithAColumn() {
    sample(1, 10_000);
  }

  @Test
  @Tag("fuzz")
  void aMillionExpressionsHaveValuesOrErrorsWithAColumn() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    sample(seed, 1_000_000);
  }

  private static void sample(long seed, int count) {
    var expressions = new RandomExpression(seed);
    var current = new AtomicReference<>("");
    for (int done = 0; done < count; done += BATCH) {
      assertTimeoutPreemptively(HANG, () -> {
        for (int i = 0; i < BATCH; i++) {
          current.set(expressions.next());
          check(current.get());
        }
      }, () -> "hangs, seed " + seed + ": " + current.get());
    }
  }

  /** Found by this test or by hand, each once wrong. */
  @ParameterizedTest
  @ValueSource(strings = {"size(-5(_))", "logical_product(15:16, -1)", "composition(8:1,0)", "logical_divide(8:1,-2)",
      "-1(_)", "right_inverse(-3(_))", "tile_to_shape(4:1,-8)", "Sw<2,3,-3>o4o4:-1(1)", "Sw<1,0,1>o0o4:0(1)"})
  void whatWasOnceWrongIsNotAgain(String text) {
    check(text);
  }

  private static void check(String text) {
    Value value;
    try {
      value = Expression.parse(text).evaluate();
    } catch (LayoutSyntaxException e) {
      assertTrue(e.position() >= 0 && e.position() <= text.length(), () -> "column of " + e + " in " + text);
      return;
    } catch (ExpressionException e) {
      assertTrue(e.position() >= 0 && e.position() <= text.length(), () -> "column of " + e + " in " + text);
      return;
    } catch (RuntimeException | Error e) {
      throw new AssertionError("unexpected for " + text, e);
    }
    shapes(value).forEach(shape -> assertTrue(Literals.isShape(shape), () -> text + " has the shape " + shape));
    var printed = value.toString();
    if (!(value instanceof Value.Truth) && printed.length() <= Expression.LONGEST) {
      assertEquals(printed, Expression.parse(printed).evaluate().toString(), text);
    }
  }

  private static Stream<IntTuple> shapes(Value value) {
    return switch (value) {
      case Value.Mapping mapping -> Stream.of(mapping.map().shape());
      case Value.CoordinateMapping mapping -> Stream.of(mapping.map().shape());
      case Value.XorMapping mapping -> Stream.of(mapping.map().shape());
      case Value.Morphism morphism -> Stream.of(morphism.morphism().domain(), morphism.morphism().codomain());
      case Value.Sequence sequence -> sequence.values().stream().flatMap(ExpressionFuzzTest::shapes);
      case Value.Integers _, Value.Arithmetic _, Value.Swizzling _, Value.Tiling _, Value.Free _, Value.Truth _ ->
          Stream.empty();
    };
  }
}
