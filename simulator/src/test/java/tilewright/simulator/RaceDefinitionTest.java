package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random programs of six threads against the definition of a race: two accesses of one word, one a write, with no path
 * from one to the other through the order of each thread and the barriers.
 */
class RaceDefinitionTest {
  private static final int PROGRAMS = 300;
  private static final int WARPS = 3;
  private static final int LANES = 2;
  private static final int WORDS = 4;
  private static final int STEPS = 9;

  /** One step of a program: an access by one lane, or a meeting of some warps, or of one warp's lanes. */
  private sealed interface Step {
    record Access(int warp, int lane, int word, boolean write) implements Step {}

    record Meeting(Set<Integer> warps) implements Step {}

    record LanesMeet(int warp) implements Step {}
  }

  private static List<Step> program(Random random) {
    var steps = new ArrayList<Step>();
    for (int i = 0; i < STEPS; i++) {
      if (random.nextInt(3) == 0) {
        steps.add(new Step.Access(random.nextInt(WARPS), random.nextInt(LANES), random.nextInt(WORDS),
            random.nextBoolean()));
      }
      switch (random.nextInt(5)) {
        case 0 -> steps.add(new Step.Meeting(Set.of(0, 1, 2)));
        case 1 -> {
          int absent = random.nextInt(WARPS);
          steps.add(new Step.Meeting(Set.of((absent + 1) % WARPS, (absent + 2) % WARPS)));
        }
        case 2 -> steps.add(new Step.LanesMeet(random.nextInt(WARPS)));
        default -> {}
      }
    }
    return steps;
  }

  /** Each warp has its own code; the program's order is what every thread sees of it. */
  private static String ptx(List<Step> steps) {
    var text = new StringBuilder("""
        .shared .align 4 .b8 words[16];
        mov.u32 %r1, words;
        and.b32 %r2, %t, 31;
        shr.u32 %r3, %t, 5;
        setp.lt.u32 %q4, %t, 4;
        shl.b32 %r5, %t, 2;
        add.u32 %r5, %r5, %r1;
        @%q4 st.shared.u32 [%r5], %t;
        setp.eq.u32 %q0, %r2, 0;
        setp.eq.u32 %q1, %r2, 1;
        bar.sync 0;
        setp.eq.u32 %q2, %r3, 0;
        @%q2 bra WARP0;
        setp.eq.u32 %q2, %r3, 1;
        @%q2 bra WARP1;
        bra WARP2;
        """);
    for (int warp = 0; warp < WARPS; warp++) {
      text.append("WARP").append(warp).append(":\n");
      for (int i = 0; i < steps.size(); i++) text.append(code(steps.get(i), warp, i));
      text.append("bra END;\n");
    }
    return Kernels.kernel(0, text + "END:\n");
  }

  private static String code(Step step, int warp, int number) {
    return switch (step) {
      case Step.Access a when a.warp() == warp && a.write() ->
          "mov.u32 %%r9, %d;\n@%%q%d st.shared.u32 [words+%d], %%r9;\n"
              .formatted(1000 + number, a.lane(), 4 * a.word());
      case Step.Access a when a.warp() == warp ->
          "@%%q%d ld.shared.u32 %%r8, [words+%d];\n".formatted(a.lane(), 4 * a.word());
      case Step.Meeting m when m.warps().size() == WARPS -> "bar.sync 0;\n";
      case Step.Meeting m when m.warps().contains(warp) ->
          "bar.sync %d, 64;\n".formatted(1 + m.warps().stream().mapToInt(w -> w).sum());
      case Step.LanesMeet(int w) when w == warp -> "bar.warp.sync -1;\n";
      default -> "";
    };
  }

  /** Which threads take part in a step: number 2 × warp + lane. */
  private static Set<Integer> threads(Step step) {
    var threads = new HashSet<Integer>();
    for (int warp = 0; warp < WARPS; warp++) {
      for (int lane = 0; lane < LANES; lane++) {
        boolean part = switch (step) {
          case Step.Access a -> a.warp() == warp && a.lane() == lane;
          case Step.Meeting m -> m.warps().contains(warp);
          case Step.LanesMeet(int w) -> w == warp;
        };
        if (part) threads.add(LANES * warp + lane);
      }
    }
    return threads;
  }

  /** Whether anything that a step's threads know of it reaches another step. */
  private static boolean reaches(List<Step> steps, int from, int to) {
    var known = threads(steps.get(from));
    for (int i = from + 1; i < to; i++) {
      if (steps.get(i) instanceof Step.Access) continue;
      var meeting = threads(steps.get(i));
      if (meeting.stream().anyMatch(known::contains)) known.addAll(meeting);
    }
    return threads(steps.get(to)).stream().anyMatch(known::contains);
  }

  private static boolean races(List<Step> steps) {
    for (int i = 0; i < steps.size(); i++) {
      for (int j = i + 1; j < steps.size(); j++) {
        if (steps.get(i) instanceof Step.Access a && steps.get(j) instanceof Step.Access b && a.word() == b.word()
            && (a.write() || b.write()) && !reaches(steps, i, j)) return true;
      }
    }
    return false;
  }

  @Test
  void exactlyTheProgramsThatRaceAreReported() {
    int racy = 0;
    for (int seed = 0; seed < PROGRAMS; seed++) {
      var steps = program(new Random(seed));
      boolean expected = races(steps);
      if (expected) racy++;
      var result = Kernels.run(ptx(steps), 32 * WARPS, Kernels.SANITIZED.withSeed(seed));
      int number = seed;
      assertEquals(expected, !result.findings().isEmpty(), () -> "program " + number + " " + steps + ": "
          + result.findings());
      assertTrue(result.findings().stream().allMatch(f -> f.kind() == Finding.Kind.RACE), result.findings().toString());
    }
    int clean = PROGRAMS - racy;
    assertTrue(racy > PROGRAMS / 10 && clean > PROGRAMS / 10, racy + " race, " + clean + " do not");
  }
}
