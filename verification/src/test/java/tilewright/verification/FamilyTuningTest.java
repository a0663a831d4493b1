package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.TraceException;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.FamilyCases;

/** Settings that only change the speed: results still agree with the reference, and the sanitizer finds nothing. */
class FamilyTuningTest {

  private static Choice choice(Family family, String settings) {
    var values = new LinkedHashMap<String, String>();
    for (var setting : settings.split(" ")) values.put(setting.split("=")[0], setting.split("=")[1]);
    return family.defaults().with(values);
  }

  private static DynamicTest agrees(String name, String settings) {
    var family = RegisteredFamilies.named(name);
    var choice = choice(family, settings);
    return DynamicTest.dynamicTest(name + " " + settings, () -> {
      family.requireSupported(choice);
      var row = Verification.verify(FamilyCases.one(family, choice, 20), new SimulatorBackend(3));
      assertEquals(Row.Status.PASS, row.status(), row.reason());
      assertEquals(0, row.findings());
    });
  }

  /** Rows that CTAs of a cluster share, a few rows of a thread or side by side at once, few registers. */
  @TestFactory
  Stream<DynamicTest> rows() {
    return Stream.of(
        agrees("softmax", "m=3 n=4096 lanes=128 cluster=4"),
        agrees("softmax", "m=5 n=128 cluster=2"),
        agrees("cross_entropy", "m=9 n=1 dtype=bf16 cluster=2"),
        agrees("softmax", "m=2 n=2050 method=safe dtype=bf16 lanes=64 cluster=8 blocks=2"),
        agrees("layer_norm", "m=3 n=2048 dtype=bf16 lanes=64 cluster=2"),
        agrees("rms_norm", "m=2 n=67 lanes=64 cluster=2"),
        agrees("layer_norm", "m=5 n=128 dtype=bf16 lanes=16 each=4 blocks=8"),
        agrees("row_sum", "m=300 n=512 dtype=f16 acc=narrow lanes=32 block=64"),
        agrees("row_sum", "m=7 n=128 dtype=bf16 acc=narrow lanes=8 each=2"),
        agrees("rms_norm", "m=7 n=2048"),
        agrees("rms_norm", "m=3 n=4096 cluster=2 beside=2"),
        agrees("softmax", "m=7 n=1030 dtype=bf16 lanes=64 beside=3"),
        agrees("row_sum", "m=7 n=512 dtype=f16 acc=narrow lanes=64 beside=4 each=2"),
        agrees("layer_norm", "m=2 n=65536 dtype=bf16 acc=narrow"),
        agrees("rms_norm", "m=2 n=65536 dtype=f16 acc=narrow"),
        agrees("softmax", "m=2 n=2048 dtype=f16 lanes=64 kept=1"),
        agrees("gemv", "m=7 n=4096 lanes=64 each=2"),
        agrees("gemv", "m=3 n=16384"),
        agrees("gemv", "m=0 n=16384"),
        agrees("row_sum", "m=3 n=16384"),
        agrees("row_sum", "m=2 n=16388"),
        agrees("row_sum", "m=3 n=4096"),
        agrees("row_sum", "m=2 n=9000 dtype=bf16"),
        agrees("gemv", "m=2 n=36000 dtype=bf16"),
        agrees("gemv", "m=2 n=66000"));
  }

  /** More rows than fit at once, a ring that wraps, and one that does not. */
  @TestFactory
  Stream<DynamicTest> streamedRows() {
    return Stream.of(
        agrees("softmax", "m=300 n=256 dtype=bf16 stream=1"),
        agrees("softmax", "m=75 n=2048 stream=4"),
        agrees("layer_norm", "m=70 n=1024 dtype=f16 stream=2"),
        agrees("layer_norm", "m=0 n=2048 stream=2"),
        agrees("rms_norm", "m=20 n=4096 dtype=bf16 stream=8"));
  }

  @TestFactory
  Stream<DynamicTest> others() {
    return Stream.of(
        agrees("relu", "n=9001 bytes=32 threads=128"),
        agrees("mat_transpose", "m=200 n=136 dtype=bf16 high=256 wide=64 band=2"),
        agrees("mat_transpose", "m=200 n=136 high=128 wide=64 threads=512"),
        agrees("dot", "n=9001 threads=128 bytes=32 blocks=3"),
        agrees("sum", "n=70001 threads=64 bytes=16 blocks=150"),
        agrees("sum", "n=9001 dtype=f16 acc=narrow threads=64 bytes=128 blocks=2"),
        agrees("grid_softmax", "n=9001 blocks=2"),
        agrees("rope", "s=9 h=6 each=2 dtype=bf16 convention=half"),
        agrees("rope", "s=9 h=5 each=4 threads=64"),
        agrees("rope", "s=9 h=5 each=0"),
        agrees("embedding", "m=9 n=256 v=5 lanes=16"),
        agrees("embedding", "m=5 n=1003 v=4 dtype=f16 vec=1 lanes=8"));
  }

  @Test
  void aBlockThatIsTooLargeIsNamed() {
    for (var large : Map.of("softmax", "n=4096 lanes=2048", "rope", "threads=2048", "add", "threads=2048").entrySet()) {
      var family = RegisteredFamilies.named(large.getKey());
      var failure = assertThrows(TraceException.class, () -> family.workload(choice(family, large.getValue())));
      assertTrue(failure.getMessage().contains("invalid block of 2048 threads"), failure.getMessage());
    }
  }

  @Test
  void aTuningIsANumberOrLeftToTheKernel() {
    var softmax = RegisteredFamilies.named("softmax");
    softmax.requireSupported(softmax.defaults().with(Map.of("lanes", "auto")));
    assertThrows(IllegalArgumentException.class,
        () -> softmax.requireSupported(softmax.defaults().with(Map.of("lanes", "many"))));
    assertEquals(9, softmax.variants().size());
  }
}
