package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;

/** What kernels print. */
class PrintTest {
  private static final int TILE = 32;

  /** Y = 2·X; threads in the tensor print their element, and among them those with an odd one print again. */
  private record Talking() implements Kernel {
    @Override
    public String name() {
      return "talking";
    }

    @Override
    public void trace(Scope k) {
      var thread = k.block(TILE);
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N")).tile(List.of(TILE), k.blockX());
      var y = k.global(TensorSpec.of("Y", ElementType.F32, "N")).tile(List.of(TILE), k.blockX());
      k.when(y.contains(thread), () -> {
        var value = x.at(thread).load();
        y.at(thread).store(value.plus(value));
        k.printf("block %d thread %2d: %.1f, 100%%\n", k.blockX(), thread, value);
        k.when(thread.modulo(2).equalTo(1), () -> k.printf("odd %x\n", thread));
      });
    }
  }

  private record Saying(Consumer<Scope> what) implements Kernel {
    @Override
    public String name() {
      return "saying";
    }

    @Override
    public void trace(Scope k) {
      k.block(1);
      what.accept(k);
    }
  }

  private static String expected(int n) {
    return IntStream.range(0, Math.ceilDiv(n, TILE)).mapToObj(block -> {
      var threads = IntStream.range(0, Math.min(TILE, n - block * TILE)).boxed().toList();
      return threads.stream().map(t -> "block %d thread %2d: %.1f, 100%%\n".formatted(block, t,
          (block * TILE + t) / 2f)).collect(Collectors.joining())
          + threads.stream().filter(t -> t % 2 == 1).map(t -> "odd %x\n".formatted(t)).collect(Collectors.joining());
    }).collect(Collectors.joining());
  }

  /** A whole tile, a tail, and several blocks with one; the lanes that do not print diverge. */
  @ParameterizedTest
  @CsvSource({"32, 0", "5, 0", "75, 0", "75, 3"})
  void whatThreadsPrintComesBlockByBlock(int n, long seed) {
    var x = new float[n];
    var doubled = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = i / 2f;
      doubled[i] = i;
    }
    var run = Simulate.kernel(new Talking()).in("X", x).out("Y").seed(seed).run().requireClean();
    assertArrayEquals(doubled, run.floats("Y"));
    assertEquals(expected(n), run.printed());
  }

  @Test
  void theAssemblerTakesIt() {
    var kernel = CompiledKernel.compile(new Talking(), Target.SM80);
    switch (Assembler.find().assemble(kernel.ptx(), "sm_80")) {
      case Assembly.Assembled code -> assertEquals(List.of(), code.warnings());
      case Assembly.Rejected(var log, _) -> fail(log);
      case Assembly.Unavailable(var reason) -> abort(reason);
    }
  }

  @Test
  void textAloneAndSpecialCharacters() {
    var run = Simulate.kernel(new Saying(k -> {
      k.printf("once, \"twice\"; ½\n");
      k.printf("once, \"twice\"; ½\n");
      k.printf("%c%+d%05d%g\n", k.constant('A'), k.constant(7), k.constant(-42), k.constant(0.25f));
    })).run();
    assertEquals("once, \"twice\"; ½\nonce, \"twice\"; ½\nA+7-00420.25\n", run.printed());
    assertEquals("kernel saying on the simulator: no findings\n\nit printed:\n" + run.printed().stripTrailing(),
        run.toString());
  }

  @Test
  void aFormatThatDoesNotFitItsValuesIsRefused() {
    assertRefused("printf \"%d %d\" has 2 conversions, but 1 value", k -> k.printf("%d %d", k.constant(1)));
    assertRefused("printf \"x\" has 0 conversions, but 1 value", k -> k.printf("x", k.constant(1)));
    assertRefused("printf \"%f\" has %f for an I32: use %d", k -> k.printf("%f", k.constant(1)));
    assertRefused("printf \"%d\" has %d for an F32: use %f", k -> k.printf("%d", k.constant(1f)));
    assertRefused("printf \"%s\" has %s: needed is %d", k -> k.printf("%s", k.constant(1)));
    assertRefused("printf \"%lld\" has %l: needed is %d", k -> k.printf("%lld", k.constant(1)));
    assertRefused("printf \"50%\" has %: needed is %d", k -> k.printf("50%"));
  }

  private static void assertRefused(String reason, Consumer<Scope> what) {
    var message = assertThrows(TraceException.class, () -> Simulate.kernel(new Saying(what)).run()).getMessage();
    assertTrue(message.startsWith(reason), message);
  }
}
