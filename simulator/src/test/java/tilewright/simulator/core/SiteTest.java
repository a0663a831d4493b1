package tilewright.simulator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Instruction;

/** How reports quote an instruction. */
class SiteTest {
  private static final Instruction LOAD = Instruction.of("tcgen05.ld.sync.aligned.32x32b.x64.b32", List.of());

  private static String registers(int count) {
    return String.join(", ", IntStream.range(0, count).mapToObj(i -> "%r" + i).toList());
  }

  @Test
  void longListsOfRegistersAreCutShort() {
    assertEquals("tcgen05.ld {%r0, %r1, …, %r63}, [%r2]",
        Site.of(LOAD, "tcgen05.ld {" + registers(64) + "}, [%r2];", "").text());
    assertEquals("mma {%r0, %r1, …, %r8}, {%r0, %r1, …, %r63}",
        Site.of(LOAD, "mma {" + registers(9) + "}, {" + registers(64) + "};", "").text());
  }

  @Test
  void shortListsStay() {
    var text = "mma {" + registers(8) + "}, {" + registers(4) + "}, {%r1}";
    assertEquals(text, Site.of(LOAD, text + ";", "").text());
  }
}
