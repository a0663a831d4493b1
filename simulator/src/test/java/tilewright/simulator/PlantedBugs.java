package tilewright.simulator;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests of kernels with one mistake each: the report names the place whatever the seed, the twin without is clean. */
interface PlantedBugs {
  int SEEDS = 10;
  int CLEAN_SEEDS = 200;

  List<SeededBug> bugs();

  @TestFactory
  default Stream<DynamicTest> isReportedWithPlaceAndThreads() {
    return bugs().stream().map(b -> DynamicTest.dynamicTest(b.name(), () -> b.requireReports(SEEDS)));
  }

  @TestFactory
  default Stream<DynamicTest> isNotReportedOfTheCorrectTwin() {
    return bugs().stream().map(b -> DynamicTest.dynamicTest(b.name(), () -> b.requireCleanTwin(CLEAN_SEEDS)));
  }
}
