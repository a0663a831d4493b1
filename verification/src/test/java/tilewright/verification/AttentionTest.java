package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.numerics.ElementType;

/** Features of SM80 attention on the simulator; {@code verify} has the larger grid. */
class AttentionTest {
  private static final long SEED = 11;

  static Stream<AttentionCases.Setup> setups() {
    return AttentionCases.small().stream().filter(s -> s.problem().largestDim() <= 64)
        .filter(s -> s.problem().sizes().batch() == 1 && s.problem().modification().mask().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("setups")
  void resultsAreWithinTheErrorRuleAndTheSanitizerIsSilent(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(setup, SEED);
    var outcome = new SimulatorBackend(SEED).run(AttentionCases.SM80.launch().apply(setup.problem()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  @Test
  void whatNoKernelCanDoIsRefusedWithTheReason() {
    var asked = Attention.forward(ElementType.BF16, Sizes.of(1, 8, 8, 1, 264)).causal();
    var error = assertThrows(IllegalArgumentException.class,
        () -> asked.prepare(List.of(new Sm80AttentionKernel())));
    assertTrue(error.getMessage().contains("head dimension 264 is more than 256"), error.getMessage());
  }

  @Test
  void invalidArgumentsAreRefusedAtOnce() {
    var asked = Attention.forward(ElementType.F16, Sizes.of(1, 8, 8, 1, 64));
    assertThrows(IllegalArgumentException.class, () -> asked.window(-2, 0));
    assertThrows(IllegalArgumentException.class, () -> asked.softcap(0));
    assertThrows(IllegalArgumentException.class, () -> asked.scale(Float.NaN));
    assertThrows(IllegalArgumentException.class, () -> new Sizes(1, 8, 8, 3, 2, 64, 64));
    assertThrows(IllegalArgumentException.class, () -> Attention.forward(ElementType.F32, Sizes.of(1, 8, 8, 1, 64)));
  }
}
