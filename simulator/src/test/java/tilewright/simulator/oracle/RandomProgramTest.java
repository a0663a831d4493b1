package tilewright.simulator.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Random programs give the same in the simulator and in the interpreter. The system property
 * {@code tilewright.randomPrograms} says how many to try, {@code tilewright.randomSeed} from which seed on.
 */
class RandomProgramTest {
  private static final int PROGRAMS = Integer.getInteger("tilewright.randomPrograms", 150);
  private static final long SEED = Long.getLong("tilewright.randomSeed", 1);

  @Test
  void programsLeaveTheSameRegistersAndMemory() {
    var differences = LongStream.range(SEED, SEED + PROGRAMS).mapToObj(seed -> new Trial(seed).difference())
        .flatMap(Optional::stream).limit(5).toList();
    assertEquals(List.of(), differences);
  }
}
