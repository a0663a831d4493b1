package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tilewright.verification.cases.Case;

class CaseBenchmarkTest {
  @Test
  void theDearestCaseIsTimedAndOfEqualOnesTheOneWithMostMemory() {
    var cases = List.of(sized("1x1", 25, 4), sized("7x129", 25, 3612), sized("5x63", 25, 1260));
    assertEquals(Optional.of("7x129"), CaseBenchmark.largest(cases).map(Case::config));
    var dearer = List.of(sized("small", 30, 8), sized("large", 25, 4096));
    assertEquals(Optional.of("small"), CaseBenchmark.largest(dearer).map(Case::config));
    assertEquals(Optional.empty(), CaseBenchmark.largest(List.of()));
  }

  private static Case sized(String config, long price, int bytes) {
    return new Case("k", "sm80", config, Set.of("sim"), price, () -> {
      throw new AssertionError("nothing is traced to choose a case");
    }, () -> Map.of("X", MemorySegment.ofArray(new byte[bytes])), (_, _, _) -> {
      throw new AssertionError("nothing is run to choose a case");
    });
  }
}
