package tilewright.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernels.VectorAdd;

class PlanCacheTest {
  private final List<Integer> prepared = new ArrayList<>();
  private final PlanCache<Integer> plans = new PlanCache<>(2, n -> {
    prepared.add(n);
    return VectorAdd.prepare(n);
  });

  @Test
  void anEqualProblemIsPreparedOnce() {
    var first = plans.plan(1000);
    assertSame(first, plans.plan(Integer.parseInt("1000")));
    assertNotSame(first, plans.plan(2000));
    assertEquals(List.of(1000, 2000), prepared);
  }

  @Test
  void theLeastRecentlyUsedPlanGoesFirst() {
    for (int n : new int[] {1, 2, 1, 3, 1, 2}) plans.plan(n);
    assertEquals(List.of(1, 2, 3, 2), prepared);
  }

  @Test
  void threadsShareAPlan() throws Exception {
    try (var threads = Executors.newFixedThreadPool(4)) {
      var asked = IntStream.range(0, 16).mapToObj(_ -> threads.submit(() -> plans.plan(64))).toList();
      for (var plan : asked) assertSame(plans.plan(64), plan.get());
    }
    assertEquals(List.of(64), prepared);
  }

  @Test
  void whatCannotBePreparedFailsAgain() {
    assertThrows(IllegalArgumentException.class, () -> plans.plan(-1));
    assertThrows(IllegalArgumentException.class, () -> plans.plan(-1));
    assertEquals(List.of(-1, -1), prepared);
    assertThrows(IllegalArgumentException.class, () -> new PlanCache<Integer>(0, VectorAdd::prepare));
  }
}
