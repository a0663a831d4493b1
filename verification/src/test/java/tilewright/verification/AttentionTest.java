package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
}
