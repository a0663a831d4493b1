package tilewright.simulator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AsyncEngineTest {
  private static final int LATENCY = 48;
  private final List<Integer> completed = new ArrayList<>();

  /** Completes after those it names. */
  private record Step(int number, Set<Integer> after, List<Integer> completed) implements AsyncOperation {
    @Override
    public boolean ready() {
      return completed.containsAll(after);
    }

    @Override
    public void complete() {
      assertTrue(ready());
      completed.add(number);
    }

    @Override
    public int site() {
      return 0;
    }

    @Override
    public String describe() {
      return "step " + number;
    }
  }

  private AsyncEngine engine(long seed, int... chained) {
    var engine = new AsyncEngine(Optional.empty());
    engine.reset(new SplittableRandom(seed));
    completed.clear();
    for (int i = 0; i < chained.length; i++) {
      engine.issue(new Step(i, chained[i] < 0 ? Set.of() : Set.of(chained[i]), completed));
    }
    return engine;
  }

  @Test
  void seedsGiveEveryOrderThatIsAllowedAndNoOther() {
    var orders = new HashSet<List<Integer>>();
    for (long seed = 0; seed < 2000; seed++) {
      var engine = engine(seed, -1, 0, -1, 2);
      engine.drain();
      assertFalse(engine.pending());
      orders.add(List.copyOf(completed));
    }
    // Two chains of two: 4! / (2! 2!) interleavings.
    assertEquals(6, orders.size());
    assertTrue(orders.stream().allMatch(o -> o.indexOf(0) < o.indexOf(1) && o.indexOf(2) < o.indexOf(3)));
  }

  @Test
  void equalSeedsGiveEqualOrders() {
    engine(7, -1, -1, -1, -1, -1).drain();
    var first = List.copyOf(completed);
    engine(7, -1, -1, -1, -1, -1).drain();
    assertEquals(first, completed);
  }

  @Test
  void awaitingAnOperationCompletesWhatItComesAfterToo() {
    for (long seed = 0; seed < 50; seed++) {
      var engine = engine(seed, -1, 0, 1, 2);
      engine.complete(op -> op instanceof Step s && s.number == 2);
      assertEquals(List.of(0, 1, 2), completed);
      assertEquals(List.of("step 3"), engine.operations().stream().map(AsyncOperation::describe).toList());
    }
  }

  @Test
  void someSeedsAreEagerAndSomeAreLate() {
    int eager = 0;
    int late = 0;
    for (long seed = 0; seed < 200; seed++) {
      var engine = engine(seed, -1);
      int turns = 0;
      engine.advance(LATENCY);
      while (turns < 100 && !engine.completeIfDue()) turns++;
      if (turns == 0) eager++;
      if (turns == 100) late++;
    }
    assertTrue(eager > 20 && late > 20, eager + " eager, " + late + " late");
  }

  @Test
  void noOperationCompletesAtOnceWhileThreadsGoOn() {
    for (long seed = 0; seed < 50; seed++) {
      var engine = engine(seed, -1);
      engine.advance(LATENCY - 1);
      for (int turns = 0; turns < 1000; turns++) assertFalse(engine.completeIfDue());
      engine.completeOne();
      assertEquals(List.of(0), completed);
    }
  }

  @Test
  void operationsThatAreNeverReadyAreAnError() {
    var engine = engine(1, 5);
    assertThrows(IllegalStateException.class, engine::drain);
  }
}
