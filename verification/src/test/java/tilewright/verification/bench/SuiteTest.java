package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Launch;

class SuiteTest {
  private static final Suite SUITE =
      new Suite(new Benchmark.Options(List.of(), Map.of(), false, 256, Optional.empty(), "0"));

  @Test
  void everyProblemHasATensorForEveryBufferOfItsLaunch() {
    assertFalse(SUITE.names().isEmpty());
    for (var name : SUITE.names()) {
      for (var problem : SUITE.of(name)) {
        var measured = problem.get();
        var tensors = measured.tensors().stream().map(Measured.Tensor::name).collect(Collectors.toSet());
        for (var argument : measured.launch().arguments()) {
          if (argument instanceof Launch.Argument.Buffer b) assertTrue(tensors.contains(b.name()), measured.config());
        }
        assertEquals(name, measured.kernel());
        assertTrue(measured.bytes() > 0, measured.config());
        assertTrue(measured.bytes() <= measured.footprint(), measured.config());
      }
    }
  }

  @Test
  void additionMovesTwoInputsAndOneOutput() {
    assertEquals(3L * 4 * (1 << 28), SUITE.of("vector_add").getFirst().get().bytes());
  }

  @Test
  void productsCountTwoOperationsAMultiplication() {
    assertEquals(2.0 * 256 * 256 * 256, SUITE.of("sm80_gemm").getFirst().get().operations());
    assertEquals(8, SUITE.of("sm80_gemm").size());
  }

  @Test
  void smallTensorsComeInManySets() {
    assertEquals(1, DeviceInputs.sets(1L << 30, 50 << 20));
    assertEquals(4, DeviceInputs.sets(64 << 20, 50 << 20));
    assertEquals(8, DeviceInputs.sets(64 << 20, 128 << 20));
    assertEquals(64, DeviceInputs.sets(4, 50 << 20));
  }
}
