package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tilewright.kernel.Chip;

class ChipLimitsTest {
  /** The figures of NVIDIA's data sheets: 82 SMs, 128 KB of L1 and shared memory of which 100 are shared, 936 GB/s. */
  @Test
  void aGpuIsARow() {
    var lines = ChipLimits.table().lines().toList();
    assertEquals(Chip.values().length, lines.stream().filter(line -> line.endsWith("TB/s")).count());
    assertEquals("|rtx3090 |`sm_86` |82 |100 KB |99 KB |1536 |6 MB |0.94 TB/s",
        lines.stream().filter(line -> line.startsWith("|rtx3090")).findFirst().orElseThrow());
    assertEquals("|h200 |`sm_90a` |132 |228 KB |227 KB |2048 |50 MB |4.92 TB/s",
        lines.stream().filter(line -> line.startsWith("|h200")).findFirst().orElseThrow());
  }
}
