package tilewright.kernels.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.Family;

/** Grids of kernels whose CTAs share the elements of any problem: a number of CTAs for each SM. */
class GridTest {
  /** SMs of 2048 threads, of an RTX 4090 1536: 108, 128, 132, 132, 148 of them. */
  @ParameterizedTest
  @CsvSource({
      // 8 CTAs of 256 threads for each SM, or 6.
      "byte_sum, 864, 768, 1056, 1056, 1184",
      "histogram, 864, 768, 1056, 1056, 1184",
      // 32 for each SM, once for each of two phases; 4096 is a power of two.
      "grid_softmax, 6912, 8190, 8448, 8448, 9472",
      // The least multiple of the SMs with a CTA for each 256 KiB of 2 GiB; 8192 is a power of two.
      "sum, 8208, 8191, 8316, 8316, 8288",
      "dot, 8208, 8191, 8316, 8316, 8288"})
  void areChosenForTheChip(String name, int a100, int rtx4090, int h100, int h200, int b200) {
    var chips = List.of(Chip.A100, Chip.RTX4090, Chip.H100, Chip.H200, Chip.B200);
    var family = Families.named(name).orElseThrow();
    assertEquals(List.of(a100, rtx4090, h100, h200, b200),
        chips.stream().map(chip -> grid(family.on(chip.capability()))).toList());
  }

  /** No thread of an SM is left over while a sum's CTAs run. */
  @ParameterizedTest
  @CsvSource({"A100, 1024", "RTX3090, 512", "RTX4090, 512", "H100, 1024", "B200, 1024", "RTX5090, 512"})
  void aSumsThreadsDivideThoseOfAnSm(Chip chip, int threads) {
    var family = Families.named("sum").orElseThrow().on(chip.capability());
    assertEquals(threads, family.workload(family.defaults()).launch().kernel().block().x());
  }

  private static int grid(Family family) {
    var large = family.defaults().with(Map.of("n", Integer.toString(1 << 29)));
    return family.workload(large).launch().grid().x();
  }
}
