package tilewright.simulator.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Simulator;

/** Mutated PTX runs, with or without findings, or is refused with a line; nothing else is thrown, and nothing hangs. */
class PtxFuzzTest {
  private static final long SHORT = 300;
  private static final long LONG = Long.getLong("tilewright.fuzz.ptx", 200_000);
  private static final long FIRST = Long.getLong("tilewright.fuzz.ptx.first", 1_000_000);

  @Test
  void aFewMutatedTextsRunOrAreRefused() {
    assertEquals(List.of(), new PtxFuzzer(new PtxSeeds()).run(0, SHORT));
  }

  @Test
  @Tag("fuzz")
  void manyMutatedTextsRunOrAreRefused() {
    assertEquals(List.of(), new PtxFuzzer(new PtxSeeds()).run(FIRST, LONG));
  }

  /** Some 40,000 texts. */
  @ParameterizedTest
  @Tag("fuzz")
  @ValueSource(strings = {"sm_80", "sm_90a", "sm_100a"})
  void formsOfOtherTypesRunOrAreRefused(String target) {
    var failed = new PtxSeeds().withOtherTypes(target).flatMap(text -> PtxFuzzer.watched(text, 1).stream()).toList();
    assertEquals(List.of(), failed);
  }

  /** Everything that once was a failure, shrunk. */
  @TestFactory
  Stream<DynamicTest> whatFailedOnceRunsOrIsRefused() throws IOException {
    try (var in = PtxFuzzTest.class.getResourceAsStream("corpus.txt")) {
      var texts = new String(in.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^//// ");
      return Stream.of(texts).skip(1).map(entry -> DynamicTest.dynamicTest(entry.lines().findFirst().orElse(""),
          () -> {
            var ptx = entry.substring(entry.indexOf('\n') + 1);
            for (long seed : new long[] {0, 1, 7}) {
              assertEquals(Optional.empty(), PtxFuzzer.watched(ptx, seed));
            }
          }));
    }
  }

  @Test
  void theSeedsThemselvesLoad() {
    var random = new java.util.SplittableRandom(1);
    var seeds = new PtxSeeds();
    long loaded = Stream.generate(() -> seeds.next(random)).limit(60).filter(text -> {
      try {
        Simulator.load(text);
        return true;
      } catch (RuntimeException _) {
        return false;
      }
    }).count();
    // A few forms are known not to be simulated.
    assertTrue(loaded >= 50, loaded + " of 60 seeds load");
  }
}
