package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.simulator.Finding;

class BugClassesTest {
  @Test
  void namesAndKindsAreReadFromPlantedBugs() {
    assertEquals(List.of(new BugClasses.Bug("a missing fence", "MISSING_FENCE"), new BugClasses.Bug("a race", "RACE"),
        new BugClasses.Bug("a leak", "TENSOR_MEMORY_LEAK")), BugClasses.of("""
            List.of(SeededBug.sm90("a missing fence", 1, 64,
                Finding.Kind.MISSING_FENCE, "body"),
              acrossBlocks("a race", Finding.Kind.RACE, START, "debug(\\"no\\", 1)"),
              bug("a leak", Finding.Kind.TENSOR_MEMORY_LEAK, START));
            """));
  }

  @Test
  void theTableHasEveryPlantedBugWithAKindThatExists() throws IOException {
    var rows = BugClasses.table(Path.of("..")).lines().filter(line -> line.matches("\\|.* \\|`\\w+`")).toList();
    var kinds = rows.stream().map(r -> r.replaceAll(".*`(\\w+)`", "$1")).collect(Collectors.toSet());
    var all = Arrays.stream(Finding.Kind.values()).map(Enum::name).collect(Collectors.toSet());
    assertEquals(Set.of(), kinds.stream().filter(k -> !all.contains(k)).collect(Collectors.toSet()));
    assertTrue(rows.size() >= 69, "only " + rows.size() + " rows");
  }
}
