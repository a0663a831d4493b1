package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class TraceCostTest {
  @Test
  void everyKernelIsTracedOnceBeforeAnyIsTracedOften() {
    var order = new ArrayList<String>();
    var kernels = new LinkedHashMap<String, Supplier<String>>();
    for (var name : List.of("b", "a")) {
      kernels.put(name, () -> {
        order.add(name);
        return "one\ntwo\n";
      });
    }
    var cost = TraceCost.measure(kernels, "abc", _ -> {});
    assertEquals(List.of("b", "a", "b"), order.subList(0, 3));
    assertEquals(List.of("b 2", "a 2"), cost.rows().stream().map(row -> row.kernel() + " " + row.lines()).toList());
    assertTrue(cost.rows().stream().allMatch(row -> row.firstMs() > 0 && row.medianMs() > 0), cost::toString);
  }
}
