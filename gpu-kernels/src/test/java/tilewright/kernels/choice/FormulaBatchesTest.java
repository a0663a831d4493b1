package tilewright.kernels.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FormulaBatchesTest {
  private static Formula random(List<Formula> made, Random random) {
    var a = made.get(random.nextInt(made.size()));
    var b = made.get(random.nextInt(made.size()));
    return switch (random.nextInt(9)) {
      case 0 -> a.plus(b);
      case 1 -> a.minus(b);
      case 2 -> a.times(b);
      case 3 -> a.over(b);
      case 4 -> a.dividedBy(b);
      case 5 -> a.ceilDiv(b);
      case 6 -> a.min(b);
      case 7 -> a.max(b);
      default -> a.atMost(b, made.get(random.nextInt(made.size())), made.get(random.nextInt(made.size())));
    };
  }

  @Test
  void valuesAreThoseOfEachFormulaAlone() {
    var random = new Random(1);
    var made = new ArrayList<>(List.of(Formula.of("M"), Formula.of("N"), Formula.of(3), Formula.of(0.5)));
    for (int i = 0; i < 60; i++) made.add(random(made, random));
    var batches = new FormulaBatches(List.of("N", "M"), made);
    for (long m = 0; m < 20; m++) {
      var values = batches.values(7, m);
      for (int i = 0; i < values.length; i++) assertEquals(made.get(i).at(Map.of("M", m, "N", 7L)), values[i]);
    }
  }

  @Test
  void aNumberThatIsNotGivenIsNamed() {
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> new FormulaBatches(List.of("M"), List.of(Formula.of("M").plus(Formula.of("K")))));
    assertTrue(refusal.getMessage().contains("formulas need K: given are [M]"), refusal.getMessage());
  }
}
