package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.Captures;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tools.jackson.databind.json.JsonMapper;

/** Forms that Python traces, as kernels compute them, pair by pair beside a plain definition. */
class TracedFunctionsTest {
  private static final int LENGTH = 24;
  private static final int HIDDEN = -1000;

  /** A definition by the numbers of a pair. */
  private interface Definition {
    double of(double s, int q, int k);
  }

  /** Scores of 24 queries and keys of head 1 in batch entry 1, where a mask shows them. */
  private record Pairs(TracedFunctions functions) implements Kernel {
    @Override
    public String name() {
      return "pairs";
    }

    @Override
    public void trace(Scope s) {
      var k = s.block(LENGTH);
      var q = s.blockX();
      var one = s.constant(1);
      var score = score(q.times(3).minus(k).toF32());
      var changed = functions.score().map(mod -> mod.apply(score, one, one, q, k)).orElse(score);
      var seen = functions.mask().map(mask -> changed.where(mask.apply(one, one, q, k), s.constant((float) HIDDEN)))
          .orElse(changed);
      s.global(TensorSpec.of("Y", ElementType.F32, "N")).at(q.times(LENGTH).plus(k)).store(seen);
    }

    private static F32 score(F32 distance) {
      return distance.times(1 / 16f);
    }
  }

  private static void check(String form, Definition definition) {
    var functions = TracedFunctions.of("form", JsonMapper.shared().readTree(form));
    var kernel = CompiledKernel.compile(new Pairs(functions), Target.SM80);
    var captures = Captures.NONE.and("i0", 5).and("f0", 0.25f);
    var buffers = new HashMap<>(Map.of("Y", words(LENGTH * LENGTH)));
    for (var tensor : functions.tensors()) {
      var buffer = words(LENGTH);
      for (int i = 0; i < LENGTH; i++) buffer.setAtIndex(ValueLayout.JAVA_INT, i, 7 * i % 30 - 4);
      buffers.put(tensor.name(), buffer);
      captures = captures.and(Captures.Given.dense(tensor, LENGTH));
    }
    var arguments = LaunchArguments.of(kernel)
        .tensor("Y", new LaunchArguments.Tensor("Y", 0, List.of((long) LENGTH * LENGTH), List.of(1L)));
    captures.addTo(arguments);
    var launch = new PreparedLaunch(kernel, Dim3.of(LENGTH), arguments.build()).on(buffers);
    assertEquals(List.of(), Simulator.run(launch, SimulatorOptions.defaults().withSanitizer(true)).findings());
    for (int q = 0; q < LENGTH; q++) {
      for (int k = 0; k < LENGTH; k++) {
        double wanted = definition.of((3 * q - k) / 16.0, q, k);
        float found = buffers.get("Y").getAtIndex(ValueLayout.JAVA_FLOAT, (long) q * LENGTH + k);
        assertEquals(wanted, found, 1e-5 * Math.max(1, Math.abs(wanted)), form + " of " + q + ", " + k);
      }
    }
  }

  private static MemorySegment words(int count) {
    return Arena.ofAuto().allocate(4L * count, 16);
  }

  private static int read(int index) {
    return 7 * index % 30 - 4;
  }

  private static String score(String node) {
    return "{\"score\":" + node.replace('\'', '"') + ",\"mask\":null,\"tensors\":[[\"i32\",1]],\"blocks\":null}";
  }

  private static String mask(String node) {
    return "{\"score\":null,\"mask\":" + node.replace('\'', '"') + ",\"tensors\":[[\"i32\",1]],\"blocks\":[128,128]}";
  }

  @Test
  void numbersAreComputed() {
    check(score("['+', 's', ['*', ['float', ['+', 'k', ['*', 'q', -1], 'i0']], 'f0'], ['neg', 's']]"),
        (s, q, k) -> (k - q + 5) * 0.25);
    check(score("['*', ['tanh', ['*', 's', 'f0']], ['exp2', 's']]"), (s, q, k) -> Math.tanh(s / 4) * Math.pow(2, s));
    check(score("['/', ['exp', 's'], ['+', 2.0, ['abs', 's']]]"), (s, q, k) -> Math.exp(s) / (2 + Math.abs(s)));
    check(score("['+', ['log', ['max', 's', 1.5]], ['sqrt', ['min', ['abs', 's'], 2.0]]]"),
        (s, q, k) -> Math.log(Math.max(s, 1.5)) + Math.sqrt(Math.min(Math.abs(s), 2)));
    check(score("['where', ['<', 's', 0.5], 's', ['float', 'b']]"), (s, q, k) -> s < 0.5 ? s : 1);
  }

  @Test
  void integersAreComputed() {
    check(score("['float', ['+', ['//', 'q', 5], ['*', ['%', 'k', 7], 3], ['min', 'q', 'k'], ['*', 'q', 'k']]]"),
        (s, q, k) -> q / 5 + 3 * (k % 7) + Math.min(q, k) + q * k);
    check(score("['float', ['where', ['<=', 'q', 'k'], ['max', 'q', 'i0'], 'h']]"),
        (s, q, k) -> q <= k ? Math.max(q, 5) : 1);
    check(score("['float', ['read', 't0', ['below', ['read', 't0', 'k'], 20]]]"),
        (s, q, k) -> read(read(k) < 0 || read(k) >= 20 ? 19 : read(k)));
  }

  @Test
  void masksHideKeys() {
    check(mask("['&', ['<=', 'k', 'q'], ['<=', 'q', ['+', 'k', 'i0']]]"),
        (s, q, k) -> k <= q && q - k <= 5 ? s : HIDDEN);
    check(mask("['|', ['==', ['read', 't0', 'q'], ['read', 't0', 'k']], ['!', ['<=', 'q', 10]]]"),
        (s, q, k) -> read(q) == read(k) || q > 10 ? s : HIDDEN);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {"['erf', 's']; no operation on numbers is [\"erf\",\"s\"]",
      "['float', ['^', 'q', 'k']]; no operation on integers is [\"^\",\"q\",\"k\"]",
      "['where', ['q'], 's', 's']; no operation on predicates is [\"q\"]"})
  void whatIsNoOperationIsRefusedByName(String node, String message) {
    var refusal = assertThrows(IllegalArgumentException.class, () -> check(score(node), (s, q, k) -> s));
    assertEquals(message, refusal.getMessage());
  }

  @Test
  void readyMadeFunctionsAreRead() {
    assertTrue(TracedFunctions.READY_MADE.stream().map(TracedFunctions::name).toList()
        .containsAll(List.of("causal", "document", "softcap", "alibi")));
  }
}
